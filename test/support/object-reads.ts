import type { Store } from '../../src/backend/store.ts';
import { recordName } from '../../src/cache/record.ts';
import type { Bucket } from '../../src/gateway/request/bucket.ts';
import type { ObjectRead } from '../../src/gateway/request/object-read.ts';
import { Succession } from '../../src/gateway/request/succession.ts';
import { slots, testKey } from './object-keys.ts';
import { defaultPolicy } from './worker-gateway.ts';

/** A store that nothing is to be asked of. */
export const silentStore: Store = {
  name: 'main',
  identity: 'main',
  send: () => {
    throw new Error('nothing is asked of a store here');
  },
  mayRetry: () => true,
  close: () => Promise.resolve(),
};

/** A bucket `b` of `store`. */
export function bucketOf(store: Store = silentStore): Bucket {
  return {
    name: 'b',
    label: 'b',
    store,
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    bucketAtStore: 'b',
    keyPrefix: '',
    epochs: slots.of({ backend: store.name, bucket: 'b' }),
    keys: 'exact',
    listingKey: new Uint8Array(32),
    succession: new Succession(),
    maxBodySizeBytes: 5 * 1024 ** 3,
    customerKeys: { plainHttp: 'never' },
    rulesFor: () => ({ cache: defaultPolicy }),
  };
}

/** A plain GET of an object, as far as `different` does not say otherwise. */
export function readOf(key: string, different: Partial<ObjectRead> = {}): ObjectRead {
  const variant = { origin: undefined, expectedBucketOwner: undefined, requestPayer: undefined };
  const method = different.method ?? 'GET';
  return {
    method,
    bucket: bucketOf(),
    policy: defaultPolicy,
    objectKey: testKey('main', 'b', key),
    versionId: undefined,
    variant,
    recordName: recordName(different.versionId, different.variant ?? variant, method),
    range: { kind: 'absent' },
    partNumber: undefined,
    isConditional: false,
    ...different,
  };
}
