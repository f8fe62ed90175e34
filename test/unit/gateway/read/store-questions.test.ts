import { beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoreRequest } from '../../../../src/backend/store.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { InvalidReplyError } from '../../../../src/gateway/fill/fill-error.ts';
import type { LookupResult } from '../../../../src/gateway/read/object-source.ts';
import { lookupFresh } from '../../../../src/gateway/read/record-cache.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { parseRange } from '../../../../src/http/range.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const mebibyte = 1024 * 1024;
const origin = 'https://app.test';
let clock: ManualClock;
let cache: WorkerCache;
/** What the store was asked, in order: method, range and query. */
let asked: string[];
/** What it answers, in turn; the last answer stays. */
let replies: Reply[];

const store: Store = {
  ...silentStore,
  send: ({ method, fields, query }: StoreRequest, receiver) => {
    const range = fields.find(({ name }) => name === 'range')?.value;
    asked.push([method, range, query].filter(Boolean).join(' '));
    const {
      status,
      headers = {},
      body = '',
    } = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500 };
    const length = { 'content-length': String(body.length) };
    const all = Object.entries({ ...(method === 'GET' && length), ...headers });
    receiver.answered({ status, fields: all.map(([name, value]) => httpHeader(name, value)) });
    if (method === 'GET' && body !== '') receiver.arrived(Buffer.from(body));
    receiver.ended();
    return { pause: () => undefined, resume: () => undefined, took: () => undefined, abort: () => undefined };
  },
};

beforeEach(() => {
  clock = new ManualClock();
  [asked, replies] = [[], []];
  cache = new WorkerCache({
    memory: allocateSharedMemory(8 * mebibyte, mebibyte, 1),
    ...{ worker: 0, recordBytes: 100_000, clock, random: () => 0.5, retried: () => undefined },
  });
});

const read = (different: Partial<ObjectRead> = {}) => readOf('k', { bucket: bucketOf(store), ...different });
const ranged = (range: string) => read({ range: parseRange(range) });
const variant = { origin, expectedBucketOwner: undefined, requestPayer: undefined };
const find = (one: ObjectRead, withChecksums = false): Promise<LookupResult> =>
  cache.objects.find(one, withChecksums);
const known = (one: ObjectRead) => lookupFresh(cache.objects.records, one, clock.nowMs());
const stale = () => clock.advance(61_000);

/** The whole object, as a range that covers it is answered. */
function whole(body: string, tag = '"t"'): Reply {
  return {
    status: 206,
    headers: { etag: tag, 'content-range': `bytes 0-${body.length - 1}/${body.length}` },
    body,
  };
}

const headOf = (body: string, tag = '"t"'): Reply => ({
  status: 200,
  headers: { etag: tag, 'content-length': String(body.length) },
});

describe('a 416 for a first range', () => {
  const empty: Reply = { status: 200, headers: { etag: '"e"' } };

  it.each<[string, string, Reply, string[]]>([
    ['from the beginning', 'bytes=0-5', { status: 416 }, ['GET bytes=0-1048575', 'GET']],
    ['of an end', 'bytes=-5', { status: 416 }, ['GET bytes=-5', 'GET']],
    [
      'of an end, which names the length,',
      'bytes=-5',
      { status: 416, headers: { 'content-range': 'bytes */0' } },
      ['GET bytes=-5', 'GET'],
    ],
    [
      'from the middle of an object that it says is empty',
      'bytes=1048576-',
      { status: 416, headers: { 'content-range': 'bytes */0' } },
      ['GET bytes=1048576-5242879', 'GET'],
    ],
  ])('%s means an empty object, which a plain GET confirms', async (_, range, refusal, questions) => {
    replies = [refusal, empty];
    const { record } = await find(ranged(range));
    expect(record).toMatchObject({ kind: 'readable', sizeBytes: 0, entityTag: '"e"' });
    expect(asked).toEqual(questions);
    expect(known(read())).toBe(record);
  });

  it.each<[string, string, Reply]>([
    ['a shorter object', 'bytes=1048576-', { status: 416, headers: { 'content-range': 'bytes */5' } }],
    ['nothing', 'bytes=1048576-', { status: 416 }],
  ])(
    'from the middle that tells of %s is followed by a question for its length',
    async (_, range, refusal) => {
      replies = [refusal, headOf('12345')];
      const { record } = await find(ranged(range));
      expect(record).toMatchObject({ kind: 'readable', sizeBytes: 5 });
      expect(asked).toEqual(['GET bytes=1048576-5242879', 'HEAD']);
    },
  );

  it('of a part is the answer', async () => {
    replies = [{ status: 416, body: '<Error><Code>InvalidPartNumber</Code></Error>' }];
    await expect(find(read({ partNumber: 9 }))).rejects.toMatchObject({ reply: { status: 416 } });
    expect(asked).toEqual(['GET partNumber=9']);
  });
});

describe('a record that is stale', () => {
  /** Is found to be what it was. */
  async function learn(one: ObjectRead) {
    replies = [whole('12345')];
    const found = await find(one);
    asked.length = 0;
    stale();
    return found.record;
  }

  it.each<[string, Partial<ObjectRead>, string[]]>([
    ['a GET', {}, ['HEAD']],
    ['a GET of a part', { partNumber: 1 }, ['HEAD', 'GET partNumber=1']],
    ['a GET that CORS rules concern', { variant }, ['GET bytes=0-4194303']],
  ])('is revalidated for %s', async (_, different, questions) => {
    const before = await learn(read({ ...different, partNumber: undefined }));
    replies = [headOf('12345'), whole('12345')];
    if (different.variant) replies = [whole('12345')];
    const { how, forwarded, record } = await find(read(different));
    expect(asked).toEqual(questions);
    expect(
      record.kind === 'readable' && before.kind === 'readable' && record.content === before.content,
    ).toBe(true);
    expect([how, forwarded]).toEqual(different.partNumber ? ['fetched', 'stale'] : ['revalidated', 'stale']);
  });

  it('is revalidated with HEAD for a HEAD that CORS rules concern', async () => {
    const head = read({ variant, method: 'HEAD' });
    replies = [headOf('12345')];
    await find(head);
    stale();
    expect(await find(head)).toMatchObject({ how: 'revalidated' });
    expect(asked).toEqual(['HEAD', 'HEAD']);
  });

  it('of another content by now is replaced', async () => {
    await learn(read());
    replies = [headOf('67890', '"u"')];
    expect(await find(read())).toMatchObject({
      how: 'fetched',
      forwarded: 'stale',
      record: { entityTag: '"u"' },
    });
  });

  it('and of which HEAD does not say enough is asked for with GET', async () => {
    await learn(read());
    replies = [{ status: 200, headers: {} }, whole('12345')];
    expect((await find(read())).record).toMatchObject({ kind: 'readable' });
    expect(asked).toEqual(['HEAD', 'GET bytes=0-4194303']);
    stale();
    asked.length = 0;
    replies = [{ status: 200, headers: {} }];
    expect((await find(read({ method: 'HEAD' }))).record).toMatchObject({ kind: 'uncacheable' });
    expect(asked).toEqual(['HEAD']);
  });

  it('of a store that is busy is not asked for with GET too', async () => {
    await learn(read());
    replies = [{ status: 503 }];
    const found = expect(find(read())).rejects.toMatchObject({ reply: { status: 503 } });
    for (let attempt = 0; attempt < 3; attempt++) {
      await new Promise(resolve => setImmediate(resolve));
      clock.advance(1_000);
    }
    await found;
    expect(asked).toEqual(['HEAD', 'HEAD', 'HEAD']);
  });
});

describe('a 206 to a HEAD of all', () => {
  const ofSome = (headers: Readonly<Record<string, string>>): Reply => ({
    status: 206,
    headers: { etag: '"t"', 'content-length': '2', ...headers },
  });

  it.each([
    ['that does not say of which bytes', ofSome({})],
    ['of some bytes', ofSome({ 'content-range': 'bytes 0-1/5' })],
  ])('%s is a wrong answer, and nothing is learned of it', async (_what, reply) => {
    replies = [reply];
    await expect(find(read({ method: 'HEAD' }))).rejects.toThrow(InvalidReplyError);
    expect(known(read({ method: 'HEAD' }))).toBeUndefined();
  });

  it('is believed where it covers all, and is as long', async () => {
    replies = [ofSome({ 'content-range': 'bytes 0-1/2' })];
    expect((await find(read({ method: 'HEAD' }))).record).toMatchObject({ kind: 'readable', sizeBytes: 2 });
  });
});

it.each([
  ['a 206 with another length', { status: 206, range: 'bytes 0-4/5', partNumber: undefined }],
  ['a 200 of some bytes', { status: 200, range: 'bytes 0-1/5', partNumber: undefined }],
  ['a part with another length', { status: 206, range: 'bytes 2-4/5', partNumber: 2 }],
])(
  '%s is a wrong answer to HEAD, and nothing is learned of it',
  async (_what, { status, range, partNumber }) => {
    replies = [{ status, headers: { etag: '"t"', 'content-length': '2', 'content-range': range } }];
    const asking = read({ method: 'HEAD', ...(partNumber && { partNumber }) });
    await expect(find(asking)).rejects.toThrow(InvalidReplyError);
    expect(known(read({ method: 'HEAD' }))).toBeUndefined();
  },
);

describe('what is learned of a part', () => {
  const ofPart: Reply = {
    status: 206,
    headers: { etag: '"t"', 'content-range': 'bytes 0-1/5', 'x-amz-mp-parts-count': '3' },
    body: '12',
  };

  it.each(['GET', 'HEAD'] as const)('by %s does not replace what is known of the whole', async method => {
    replies = [whole('12345'), method === 'GET' ? ofPart : { ...ofPart, body: '' }];
    const { record } = await find(read());
    const found = await find(read({ method, partNumber: 1 }));
    expect(found).toMatchObject({ how: 'fetched', isStored: true });
    expect(found.record).toBe(record);
    expect(record.kind === 'readable' && record.content.parts.get(1)).toMatchObject({ first: 0, last: 1 });
    expect(known(read())).toBe(record);
    expect(asked.at(-1)).toBe(`${method} partNumber=1`);
    // a reader of the part is answered from memory now
    expect(known(read({ partNumber: 1 }))).toBe(record);
  });

  it('of another content replaces it', async () => {
    replies = [whole('12345', '"old"'), ofPart];
    await find(read());
    const { record } = await find(read({ partNumber: 1 }));
    expect(record).toMatchObject({ entityTag: '"t"' });
    expect(known(read({ partNumber: 1 }))).toBe(record);
  });

  it('does not answer for another part', async () => {
    replies = [ofPart];
    await find(read({ partNumber: 1 }));
    expect(known(read({ partNumber: 2 }))).toBeUndefined();
  });
});

describe('a record', () => {
  it('that must not be stored answers who waited, and nobody later', async () => {
    const reply = whole('12345');
    replies = [{ ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } }];
    const { record, isStored } = await find(read());
    expect([isStored, known(read())]).toEqual([false, undefined]);
    const content = record.kind === 'readable' ? record.content : undefined;
    expect(content?.peekText(0, 5)).toBe('12345');
    // those who were told of it have opened it by then
    clock.advance(600_000);
    expect(content).toMatchObject({ isRetired: true, heldBlocks: 0 });
  });

  it('may be stored against that where the bucket does not heed it', async () => {
    const reply = whole('12345');
    replies = [{ ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } }];
    const heedless = { ...read(), policy: { ...read().policy, honourCacheControl: false } };
    expect((await find(heedless)).isStored).toBe(true);
    expect(known(heedless)).toBeDefined();
  });

  it('that turned out to be outdated is forgotten with those of its content, and no other one', async () => {
    replies = [whole('12345')];
    const { record } = await find(read());
    await find(read({ variant }));
    replies = [headOf('123456', '"u"')];
    const ofVersion = read({ method: 'HEAD', versionId: 'v', recordName: 'v' });
    const { record: other } = await find(ofVersion);
    cache.objects.invalidate(readOf('another'), record);
    expect(known(read())).toBe(record);
    cache.objects.invalidate(read(), record);
    expect([known(read()), known(read({ variant }))]).toEqual([undefined, undefined]);
    expect(known(ofVersion)).toBe(other);
  });

  it('of a content that differs in its encoding, length or version has a content of its own', async () => {
    const contents = new Set<unknown>();
    const learn = async (reply: Reply, different: Partial<ObjectRead> = {}) => {
      replies = [reply];
      const { record } = await find(read({ method: 'HEAD', ...different }));
      if (record.kind === 'readable') contents.add(record.content);
      stale();
    };
    const head = headOf('12345');
    await learn(head);
    await learn(head);
    expect(contents.size).toBe(1);
    await learn({ ...head, headers: { ...head.headers, 'content-encoding': 'gzip' } });
    await learn(headOf('123456'));
    await learn(headOf('123456', '"u"'));
    expect(contents.size).toBe(4);
  });

  it('that HEAD has told of answers a GET without a question', async () => {
    replies = [headOf('12345')];
    const { record, how } = await find(read({ method: 'HEAD' }));
    expect([how, known(read())]).toEqual(['fetched', record]);
    expect(await find(read())).toMatchObject({ how: 'hit', record });
    expect(asked).toEqual(['HEAD']);
  });
});
