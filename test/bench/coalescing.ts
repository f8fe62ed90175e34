import { exactly, type Finding, orientation } from './finding.ts';
import { type Lab, mebibyte, urlAt } from './lab.ts';
import { read } from './reader.ts';

const readers = 50;
const sizeBytes = 32 * mebibyte;

/** Fifty readers who want one cold object at the same time. */
export async function coalescing(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway();
  await lab.store.pace(10, 50_000_000);
  const content = await lab.put({ key: 'wanted', sizeBytes, seed: 1 });
  const all = Array.from({ length: readers }, () => read(urlAt(gateway, 'wanted'), [content]));
  const readings = await Promise.all(all);
  const { requests, bodyBytes } = await lab.store.report();
  const right = readings.filter(
    ({ clean, fits, bytes }) => clean && fits.length === 1 && bytes === sizeBytes,
  );
  return [
    exactly('50 readers of a cold 32 MiB object: right bodies', right.length, readers),
    exactly('50 readers of a cold 32 MiB object: bytes from the store', bodyBytes, sizeBytes, 'B'),
    orientation('50 readers of a cold 32 MiB object: store requests', requests.length),
    orientation(
      '50 readers of a cold 32 MiB object: slowest reader',
      Math.max(...readings.map(({ totalMs }) => totalMs)),
      'ms',
    ),
  ];
}
