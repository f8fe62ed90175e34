import { expect, it } from 'vitest';
import { describingBytes, misplaced } from '../../support/self-describing.ts';
import type { Content } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const objects = 6;
const objectBytes = 3 * mebibyte + 77;
const readers = 8;
const readsEach = 12;
const version = 7;

function contentOf(object: number): Content {
  return {
    sizeBytes: objectBytes,
    entityTag: `"describing-${object}"`,
    slice: (position, lengthBytes) =>
      describingBytes({ object, version }, position, position + Math.min(lengthBytes, 65_536)),
  };
}

/** Some range of an object, another one for each read. */
function rangeOf(read: number): { readonly first: number; readonly last: number } {
  const first = (read * 611_953) % objectBytes;
  return { first, last: Math.min(objectBytes - 1, first + ((read * 92_821) % 1_500_000)) };
}

it.each([
  ['knows ranges', 1, () => false],
  ['ignores ranges of some objects', 1, (object: number) => object % 2 === 0],
  ['ignores ranges of some objects', 2, (object: number) => object % 2 === 0],
  ['ignores all ranges', 1, () => true],
  ['ignores all ranges', 2, () => true],
])(
  'reads of more than the memory holds get their own bytes: a store that %s, %d workers',
  async (_how, workers, ignores) => {
    const store = await StandInStore.start();
    const found: unknown[] = [];
    let served = 0;
    const gateway = await TestGateway.start({
      storeUrl: store.url,
      workers,
      arenaBytes: 8 * mebibyte,
      policy: { blockSizeBytes: mebibyte / 4 },
      onUnwritten: error => found.push(error),
    });
    try {
      for (let object = 1; object <= objects; object++)
        store.put('b', `o${object}`, contentOf(object), { ignoresRange: ignores(object) });
      await Promise.all(
        Array.from({ length: readers }, async (_, reader) => {
          for (let turn = 0; turn < readsEach; turn++) {
            const read = reader * readsEach + turn;
            const object = 1 + (read % objects);
            const { first, last } = rangeOf(read);
            const range = `bytes=${first}-${last}`;
            const answer = await gateway.get(`/b/o${object}`, { range }, read % workers);
            // too much at once is refused, see OverloadedError
            if (answer.status === 503) continue;
            served++;
            expect([answer.status, answer.body.length]).toEqual([206, last + 1 - first]);
            expect(misplaced({ object, version }, first, answer.body)).toBeUndefined();
          }
        }),
      );
      expect(found).toEqual([]);
      expect(served).toBeGreaterThan((readers * readsEach) / 2);
    } finally {
      await gateway.close();
      await store.close();
    }
  },
);
