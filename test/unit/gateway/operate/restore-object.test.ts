import { expect, it } from 'vitest';
import { type Store, StoreError, type StoreRequest } from '../../../../src/backend/store.ts';
import { ofNoObject } from '../../../../src/cache/open-writes.ts';
import { type RestoreRequest, requestRestore } from '../../../../src/gateway/operate/restore-object.ts';
import type { WebRules } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { RequestRules } from '../../../../src/gateway/request/request-rules.ts';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import { slots } from '../../../support/object-keys.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

/** A store that answers with the given status and body, one after the other; `seen` holds what it was asked. */
function bucketsOver(
  answers: readonly (readonly [status: number, body?: string])[],
  seen: StoreRequest[],
  keys: 'exact' | 'path' = 'exact',
  web?: WebRules,
) {
  const store: Store = {
    name: 'main',
    identity: 'main',
    send(request, receiver) {
      const [status, body = ''] = answers[seen.length] ?? [0];
      seen.push(request);
      queueMicrotask(() => {
        if (status === 0) return receiver.failed(new StoreError('UNREACHABLE', 'gone', undefined));
        receiver.answered({ status, fields: [] });
        receiver.arrived(Buffer.from(body));
        receiver.ended();
      });
      return { pause: () => {}, resume: () => {}, took: () => {}, abort: () => {} };
    },
    mayRetry: () => true,
    close: async () => undefined,
  };
  const bucket = {
    ...{
      name: 'photos',
      label: 'photos',
      store,
      region: 'us-east-1',
      headerPrefix: 'x-amz-' as const,
      customerKeys: { plainHttp: 'never' as const },
    },
    ...{
      bucketAtStore: 'photos-production',
      keyPrefix: 'eu/',
      epochs: slots.of({ backend: store.name, bucket: 'photos-production' }),
      keys,
      listingKey: new Uint8Array(32),
      succession: new Succession(),
      ...(web && { web }),
      maxBodySizeBytes: 5 * 1024 ** 3,
      rulesFor: (key: string) => ({
        cache: defaultPolicy,
        requests: new RequestRules({ set: { 'x-of-rule': key }, remove: [] }),
      }),
    },
  };
  return new BucketTable(new Map([['photos', bucket]]), undefined);
}

const writes = { begin: () => ofNoObject };

const request: RestoreRequest = { bucket: 'photos', key: 'a b.bin', versionId: 'v+1', days: 7, tier: 'Bulk' };
const error = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`;

it('asks the store for a copy, by its own names for bucket and key', async () => {
  const seen: StoreRequest[] = [];
  expect(await requestRestore(request, bucketsOver([[202]], seen), writes)).toEqual({ kind: 'begun' });
  expect(seen).toMatchObject([
    { method: 'POST', bucket: 'photos-production', key: 'eu/a b.bin', query: 'restore&versionId=v%2B1' },
  ]);
  expect(seen[0]?.fields).toContainEqual({ name: 'x-of-rule', value: 'a b.bin', store: false });
  expect(Buffer.from(seen[0]?.body ?? '').toString()).toContain(
    '<Days>7</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters>',
  );
});

it.each([
  ['200: there already', [200] as const, { kind: 'ready' }],
  [
    '409: going on',
    [409, error('RestoreAlreadyInProgress')] as const,
    { kind: 'refused', code: 'RestoreAlreadyInProgress' },
  ],
  ['403', [403, error('AccessDenied')] as const, { kind: 'refused', code: 'AccessDenied' }],
  [
    'a code beside one in a comment',
    [403, '<Error><!-- <Code>Wrong</Code> --><Code>AccessDenied</Code></Error>'] as const,
    { kind: 'refused', code: 'AccessDenied' },
  ],
  ['what is no XML', [500, 'oops'] as const, { kind: 'refused', code: 'status 500' }],
  ['nothing', [0] as const, { kind: 'unreachable' }],
])('understands %s (docs/semantics.md 167 to 172)', async (_, answer, outcome) => {
  expect(await requestRestore(request, bucketsOver([answer], []), writes)).toEqual(outcome);
});

it('leaves the days out where they are malformed: out of an archive tier an object comes back for good', async () => {
  const seen: StoreRequest[] = [];
  const buckets = bucketsOver([[400, error('MalformedXML')], [202]], seen);
  expect(await requestRestore(request, buckets, writes)).toEqual({ kind: 'begun' });
  expect(Buffer.from(seen[1]?.body ?? '').toString()).not.toContain('Days');
});

it('knows only the buckets that are configured', async () => {
  const outcome = await requestRestore({ ...request, bucket: 'other' }, bucketsOver([], []), writes);
  expect(outcome).toEqual({ kind: 'unknown-bucket' });
});

it('asks the store for nothing whose version may be a path', async () => {
  const seen: StoreRequest[] = [];
  const outcome = await requestRestore(
    { ...request, versionId: '../../b' },
    bucketsOver([[202]], seen),
    writes,
  );
  expect([outcome, seen]).toEqual([{ kind: 'refused', code: 'InvalidArgument' }, []]);
});

it('asks a store of paths for nothing whose key is no plain path', async () => {
  const seen: StoreRequest[] = [];
  const buckets = bucketsOver([[202]], seen, 'path');
  const outcome = await requestRestore({ ...request, key: 'a//b' }, buckets, writes);
  expect([outcome, seen]).toEqual([{ kind: 'refused', code: 'InvalidArgument' }, []]);
});

it('asks a web origin for nothing: it archives nothing', async () => {
  const seen: StoreRequest[] = [];
  const web: WebRules = {
    host: { kind: 'origin' },
    forwarded: false,
    originHost: 'o.test',
    pathPrefix: '',
    query: { names: 'all', isSorted: false },
    storesCookies: false,
  };
  const outcome = await requestRestore(request, bucketsOver([[202]], seen, 'exact', web), writes);
  expect([outcome, seen]).toEqual([{ kind: 'refused', code: 'NotImplemented' }, []]);
});
