import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomeOf } from '../../bench/changing-object.ts';
import { read } from '../../bench/reader.ts';
import { type Content, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';

const sizeBytes = 300_000;
const [old, fresh] = [patternContent(sizeBytes, 1), patternContent(sizeBytes, 2)];

/** What no store should ever send: the bytes of one content up to `edge`, then those of another. */
function mixture(edge: number): Content {
  return {
    ...old,
    slice: (position, length) =>
      position < edge
        ? old.slice(position, Math.min(length, edge - position))
        : fresh.slice(position, length),
  };
}

let store: StandInStore;

beforeEach(async () => {
  store = await StandInStore.start();
});
afterEach(() => store.close());

async function outcome(content: Content, headers: Record<string, string> = {}, lengthBytes = sizeBytes) {
  store.put('b', 'k', content);
  return outcomeOf(await read(`${store.url}/b/k`, [old, fresh], headers), fresh, lengthBytes);
}

it('tells old, new and mixed bodies apart, down to the last byte', async () => {
  expect(await outcome(old)).toBe('old');
  expect(await outcome(fresh)).toBe('new');
  expect(await outcome(mixture(150_000))).toBe('mixed');
  expect(await outcome(mixture(sizeBytes - 16))).toBe('mixed');
});

it('compares a range at its own position', async () => {
  const range = { range: 'bytes=100000-' };
  expect(await outcome(fresh, range, 200_000)).toBe('new');
  expect(await outcome(mixture(100_001), range, 200_000)).toBe('mixed');
});

it('notices a tag that belongs to the other content', async () => {
  expect(await outcome({ ...old, entityTag: fresh.entityTag })).toBe('wrong tag');
});

it('tells a body cut off from one that ends cleanly but short', async () => {
  store.faults.breakAfter(100_000);
  expect(await outcome(old)).toBe('cut');
  store.faults.next({ kind: 'short', lengthBytes: 100_000 });
  expect(await outcome(old)).toBe('short');
});
