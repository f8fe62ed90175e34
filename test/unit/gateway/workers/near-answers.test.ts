import { beforeEach, expect, it } from 'vitest';
import { Epochs } from '../../../../src/cache/epochs.ts';
import { PurgeBarriers } from '../../../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { placeText } from '../../../../src/gateway/request/bucket.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';
import type { WireRecord } from '../../../../src/gateway/workers/messages.ts';
import { NearAnswers } from '../../../../src/gateway/workers/near-answers.ts';
import { RemoteContent, type RemoteMemory } from '../../../../src/gateway/workers/remote-content.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf } from '../../../support/object-reads.ts';

const sizeBytes = 10;
const bucket = { ...bucketOf(), name: '/' };
let near: NearAnswers;
let barriers: PurgeBarriers;

beforeEach(() => {
  const memory = allocateSharedMemory(2 ** 20, 2 ** 16, 1);
  barriers = new PurgeBarriers(memory);
  const invalidations = { epochs: new Epochs(memory), barriers };
  // nothing is read here, so no place of a block gets known
  near = new NearAnswers({} as RemoteMemory, invalidations, 2 ** 20);
});

/** A read of `/k` whose varying field is `value`. */
function readOf(value = ''): WebRead {
  const key = testKey('web', '/', '/k');
  const read = {
    bucket,
    target: { key },
    variantName: () => value,
    selects: (_record: unknown, name: string) => name === value,
  };
  return read as unknown as WebRead;
}

function recordOf(entityTag: string | undefined, size = sizeBytes, contentId = 1): WireRecord {
  const identity = { entityTag, sizeBytes: size, blockBytes: 4096 };
  const content = { contentId, identity, parts: [], partCount: undefined };
  const own = {
    epoch: 0,
    barrier: 0,
    receivedMs: 1,
    entityTag,
    sizeBytes: size,
    answer: { status: 200, vary: [] },
  };
  return { fields: [], tagSlots: [], kind: 'readable', ...own, content } as unknown as WireRecord;
}

it.each([
  ['"1"', sizeBytes, true],
  [undefined, 0, true],
  [undefined, sizeBytes, false],
  ['W/"1"', sizeBytes, false],
  ['"1", "2"', sizeBytes, false],
])(
  'an answer under %s of %i bytes, of which none is known to be in memory, is used: %s',
  (tag, size, isUsed) => {
    near.learn(readOf(), recordOf(tag, size), true);
    expect(near.find(readOf()) !== undefined).toBe(isUsed);
  },
);

it('what is for its reader alone is not remembered', () => {
  near.learn(readOf(), recordOf('"1"'), false);
  expect(near.find(readOf())).toBeUndefined();
});

it('a content that is told again stays the same, so that the places of its blocks stay known', () => {
  const first = near.learn(readOf(), recordOf('"1"'), true);
  expect(near.learn(readOf(), recordOf('"1"'), true).content).toBe(first.content);
  expect(near.learn(readOf(), recordOf('"2"', sizeBytes, 2), true).content).not.toBe(first.content);
});

it('a content is known by the rules that it was made by: others may lead to something else', () => {
  const { content } = near.learn(readOf(), recordOf('"1"'), true);
  const { bucketName, place } = content instanceof RemoteContent ? content.object : {};
  expect([bucketName, place]).toEqual(['/', placeText(bucket)]);
});

it('what turned out to be of no use is forgotten, and other variants are not', () => {
  const one = near.learn(readOf('1'), recordOf('"1"'), true);
  const other = near.learn(readOf('2'), recordOf('"2"', sizeBytes, 2), true);
  near.forget(readOf('1'), one);
  expect(near.find(readOf('1'))).toBeUndefined();
  expect(near.find(readOf('2'))).toBe(other);
  near.outdated(readOf().target.key.text);
  expect(near.find(readOf('2'))).toBeUndefined();
});

it('16 variants are kept of a name, those that were told last', () => {
  for (let index = 0; index < 20; index++)
    near.learn(readOf(`v${index}`), recordOf('"1"', sizeBytes, index), true);
  const kept = Array.from({ length: 20 }, (_, index) => near.find(readOf(`v${index}`)) !== undefined);
  expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => index >= 4));
});

it('law 5: what was purged is not used, though another variant was told since', () => {
  near.learn(readOf('1'), { ...recordOf('"1"'), tagSlots: [7] }, true);
  barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0);
  const since = { ...recordOf('"2"', sizeBytes, 2), barrier: barriers.latest };
  const told = near.learn(readOf('2'), since, true);
  expect([near.find(readOf('1')), near.find(readOf('2'))]).toEqual([undefined, told]);
});

it('of several lists of fields by which answers vary, the one that came last is given (RFC 9111 §4)', () => {
  const readBy = (fields: Readonly<Record<string, string>>) => {
    const variantName = (names: readonly string[]) => names.map(name => `${name}=${fields[name]}`).join();
    return { ...readOf(), variantName } as WebRead;
  };
  const learn = (name: string, value: string, receivedMs: number) => {
    const answer = { status: 200, vary: [name] };
    return near.learn(
      readBy({ [name]: value }),
      { ...recordOf('"1"'), receivedMs, answer } as WireRecord,
      true,
    );
  };
  learn('a', '1', 1_000);
  const last = learn('b', '1', 5_000);
  learn('a', '2', 10_000);
  expect(near.find(readBy({ a: '1', b: '1' }))).toBe(last);
});
