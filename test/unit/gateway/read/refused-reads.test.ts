import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import type { ObjectRecord } from '../../../../src/cache/record.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import type { LookupResult } from '../../../../src/gateway/read/object-source.ts';
import { type Asked, ObjectServerBench, TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

const text = '0123456789';
let bench: ObjectServerBench;

beforeEach(async () => {
  bench = await ObjectServerBench.start();
});

afterEach(() => bench.close());

function found(record: ObjectRecord): LookupResult {
  const how = { how: 'fetched', forwarded: 'uri-miss', forwardStatus: 200 } as const;
  return { record, ...how, isCollapsed: false, isStored: true, isCharged: false };
}

/** What is found of an object that the store describes, or refuses with `status`. */
function finding(status: number, code = 'NoSuchKey'): LookupResult {
  const record = { ...recordOf(new TextContent(text)), receivedMs: bench.clock.nowMs() };
  if (status === 200) return found(record);
  const body = Buffer.from(`<Error><Code>${code}</Code><Message>Not there.</Message></Error>`);
  return found({ ...record, kind: 'refused', isNegative: true, status, body });
}

describe('law 6: a caller who may not read', () => {
  it.each<[string, Asked]>([
    ['and may not list', { client: { mayKnowMissing: false } }],
    ['asks for a version, of which ListBucket shows nothing', { read: { versionId: 'v' } }],
  ])('%s, is refused without a question to the store', async (_, asked) => {
    bench.cached = finding(404).record;
    const { reply } = await bench.refuse(asked);
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('<Code>AccessDenied</Code>');
    expect(bench.told).toEqual([]);
  });

  it('and may list, is told in the words of the store that an object is missing', async () => {
    bench.finds.push(finding(404), finding(404));
    const { reply, exchange } = await bench.refuse({ read: { partNumber: 2 } });
    expect(reply.status).toBe(404);
    expect(reply.text).toContain('<Message>Not there.</Message>');
    // first without bytes, and about the object, not a part of it
    expect(bench.told).toEqual(['find HEAD', 'find GET']);
    expect(exchange.isOver).toBe(true);
  });

  it('and may list, is told by HEAD with one question', async () => {
    bench.finds.push(finding(404));
    expect((await bench.refuse({ method: 'HEAD' })).reply.status).toBe(404);
    expect(bench.told).toEqual(['find HEAD']);
  });

  const refusal = { status: 403, fields: [], body: Buffer.from('<Error><Code>InvalidKey</Code></Error>') };

  it.each<[string, () => readonly (LookupResult | Error)[]]>([
    ['is there', () => [finding(200)]],
    ['is archived', () => [finding(403, 'InvalidObjectState')]],
    ['was deleted by its id', () => [finding(405, 'MethodNotAllowed')]],
    ['comes in between', () => [finding(404), finding(200)]],
    ['is refused by the store', () => [new RefusedByStoreError(refusal)]],
  ])('and may list, is told nothing of an object that %s', async (_, finds) => {
    bench.finds.push(...finds());
    const { reply } = await bench.refuse();
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('<Code>AccessDenied</Code>');
    expect(reply.text).not.toContain('Invalid');
    expect(bench.finds).toEqual([]);
  });

  it('and may list, is told when the store does not answer', async () => {
    bench.finds.push(new StoreError('TIMEOUT', 'too late', undefined));
    expect((await bench.refuse()).reply.status).toBe(504);
  });
});

describe('checksums that the store may have and the record lacks are asked for', () => {
  const partial = (sizeBytes = text.length): ObjectRecord => ({
    ...recordOf(new TextContent(text.slice(0, sizeBytes))),
    receivedMs: bench.clock.nowMs(),
    checksums: 'unknown',
  });
  const wanted = {
    visibility: { checksums: true, taggingCount: true, legalHold: true, storeNames: true, targeted: true },
  };
  const asks = ['find GET', 'find GET with checksums'];

  it.each<[string, Asked]>([
    ['the whole object', {}],
    ['a range that is the whole', { headers: { range: 'bytes=0-9' } }],
    ['a range beyond its end', { headers: { range: 'bytes=0-99' } }],
  ])('by who wants them with %s', async (_, asked) => {
    bench.cached = partial();
    bench.finds.push(found(partial()), found(partial()));
    const { reply } = await bench.serve({ ...asked, client: wanted });
    expect(reply.text).toBe(text);
    expect(bench.told).toEqual(asks);
  });

  it.each<[string, Asked]>([
    ['does not want them', {}],
    ['wants its beginning', { client: wanted, headers: { range: 'bytes=0-8' } }],
    ['wants its end', { client: wanted, headers: { range: 'bytes=1-9' } }],
    ['wants nothing of it', { client: wanted, headers: { range: 'bytes=10-' } }],
  ])('but not for who %s', async (_, asked) => {
    bench.cached = partial();
    await bench.serve(asked);
    expect(bench.told).toEqual([]);
  });

  it('but not for a part, which has its own, unless the object is empty', async () => {
    const asked = { client: wanted, read: { partNumber: 1 } };
    const record = partial();
    if (record.kind === 'readable') record.content.parts.learn(1, { first: 0, last: 3, checksums: [] }, 3);
    bench.cached = record;
    expect((await bench.serve(asked)).reply.text).toBe('0123');
    expect(bench.told).toEqual([]);
    bench.cached = undefined;
    bench.finds.push(found(partial(0)), found(partial(0)));
    expect((await bench.serve(asked)).reply.status).toBe(200);
    expect(bench.told).toEqual(['find GET part 1', 'find GET part 1 with checksums']);
  });

  it('but not where all are known, or for a refusal', async () => {
    bench.cached = { ...recordOf(new TextContent(text)), receivedMs: bench.clock.nowMs() };
    await bench.serve({ client: wanted });
    bench.cached = finding(404).record;
    await bench.serve({ client: wanted });
    expect(bench.told).toEqual([]);
  });
});
