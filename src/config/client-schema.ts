import { action, keyPatterns } from './bucket-schema.ts';
import { listOf, map, text } from './scalars.ts';

/** A client whose signatures the gateway verifies, with its permissions. */
export const clientSchema = map({
  accessKeyId: text('an access key id'),
  secretAccessKey: text('a secret access key'),
  allow: listOf(
    map({
      buckets: listOf(text('the name of a bucket, or "*"'), 'bucket names'),
      keys: keyPatterns().default(['**']),
      actions: listOf(action(), 'actions'),
    }),
    'grants, such as { buckets: [photos], keys: ["public/**"], actions: [GetObject] }',
  ),
});
