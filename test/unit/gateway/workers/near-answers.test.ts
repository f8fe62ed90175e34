import { beforeEach, expect, it } from 'vitest';
import { Epochs } from '../../../../src/cache/epochs.ts';
import { NameChanges } from '../../../../src/cache/name-changes.ts';
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
let changes: NameChanges;

beforeEach(() => {
  const memory = allocateSharedMemory(2 ** 20, 2 ** 16, 1);
  barriers = new PurgeBarriers(memory);
  changes = new NameChanges(memory);
  const invalidations = { epochs: new Epochs(memory), barriers, changes };
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
    near.learn(readOf(), recordOf(tag, size), 0);
    expect(near.find(readOf()) !== undefined).toBe(isUsed);
  },
);

it('what is for its reader alone is not remembered', () => {
  near.learn(readOf(), recordOf('"1"'), undefined);
  expect(near.find(readOf())).toBeUndefined();
});

it('a content that is told again stays the same, so that the places of its blocks stay known', () => {
  const first = near.learn(readOf(), recordOf('"1"'), 0);
  expect(near.learn(readOf(), recordOf('"1"'), 0).content).toBe(first.content);
  expect(near.learn(readOf(), recordOf('"2"', sizeBytes, 2), 0).content).not.toBe(first.content);
});

it('a content is known by the rules that it was made by: others may lead to something else', () => {
  const { content } = near.learn(readOf(), recordOf('"1"'), 0);
  const { bucketName, place } = content instanceof RemoteContent ? content.object : {};
  expect([bucketName, place]).toEqual(['/', placeText(bucket)]);
});

it('what turned out to be of no use is forgotten, and other variants are not', () => {
  const one = near.learn(readOf('1'), recordOf('"1"'), 0);
  const other = near.learn(readOf('2'), recordOf('"2"', sizeBytes, 2), 0);
  near.forget(readOf('1'), one);
  expect(near.find(readOf('1'))).toBeUndefined();
  expect(near.find(readOf('2'))).toBe(other);
});

it('what was told before the name changed is not used, though another variant was told since', () => {
  const { key } = readOf().target;
  const { content } = near.learn(readOf('1'), recordOf('"1"'), changes.count(key));
  near.learn(readOf('2'), recordOf('"2"', sizeBytes, 2), changes.count(key));
  changes.raise(key);
  expect([near.find(readOf('1')), near.find(readOf('2'))]).toEqual([undefined, undefined]);
  const told = near.learn(readOf('1'), recordOf('"1"'), changes.count(key));
  expect([near.find(readOf('1')), near.find(readOf('2'))]).toEqual([told, undefined]);
  expect(told.content, 'the places of its blocks stay known').toBe(content);
});

it('what has changed while it was on its way is not used', () => {
  const { key } = readOf().target;
  const keptAt = changes.count(key);
  changes.raise(key);
  near.learn(readOf(), recordOf('"1"'), keptAt);
  expect(near.find(readOf())).toBeUndefined();
});

it('16 variants are kept of a name, those that were told last', () => {
  for (let index = 0; index < 20; index++)
    near.learn(readOf(`v${index}`), recordOf('"1"', sizeBytes, index), 0);
  const kept = Array.from({ length: 20 }, (_, index) => near.find(readOf(`v${index}`)) !== undefined);
  expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => index >= 4));
});

it('law 5: what was purged is not used, though another variant was told since', () => {
  near.learn(readOf('1'), { ...recordOf('"1"'), tagSlots: [7] }, 0);
  barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0);
  const since = { ...recordOf('"2"', sizeBytes, 2), barrier: barriers.latest };
  const told = near.learn(readOf('2'), since, 0);
  expect([near.find(readOf('1')), near.find(readOf('2'))]).toEqual([undefined, told]);
});

it('of several lists of fields by which answers vary, the one that came last is given (RFC 9111 §4)', () => {
  const readBy = (fields: Readonly<Record<string, string>>) => {
    const variantName = (names: readonly string[]) => names.map(name => `${name}=${fields[name]}`).join();
    return { ...readOf(), variantName } as WebRead;
  };
  const learn = (name: string, value: string, receivedMs: number) => {
    const answer = { status: 200, vary: [name] };
    return near.learn(readBy({ [name]: value }), { ...recordOf('"1"'), receivedMs, answer } as WireRecord, 0);
  };
  learn('a', '1', 1_000);
  const last = learn('b', '1', 5_000);
  learn('a', '2', 10_000);
  expect(near.find(readBy({ a: '1', b: '1' }))).toBe(last);
});
