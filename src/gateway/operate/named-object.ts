import type { ObjectKey } from '../../cache/object-key.ts';
import { type Bucket, objectKeyOf } from '../request/bucket.ts';
import { isWeb, webKeyOf } from '../web/web-target.ts';

/** What an operator means by `key`: the object that clients get at it. */
export function namedObject(bucket: Bucket, key: string): ObjectKey {
  return isWeb(bucket) ? webKeyOf(bucket, key) : objectKeyOf(bucket, key);
}
