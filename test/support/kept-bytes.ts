import { collectGarbage } from './collect-garbage.ts';

const SAMPLES = 2_000;
const LONG = 'q'.repeat(7_000);

/** Bytes of heap for each of what `make` returns of texts like a URL of 7 000 characters, `number` in front of its query. */
export function keptBytesOf(make: (url: string) => unknown): number {
  const usedBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = usedBytes();
  const kept = Array.from({ length: SAMPLES }, (_, number) =>
    make(
      Buffer.from(`/some-name-of-an-object-${number}?version=a-version-of-it-${number}&${LONG}`).toString(
        'latin1',
      ),
    ),
  );
  return (usedBytes() - before) / kept.length;
}
