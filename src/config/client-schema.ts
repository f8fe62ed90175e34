import { action, keyPatterns } from './bucket-schema.ts';
import { accessKeyId } from './credentials-schema.ts';
import { listOf, map, text } from './scalars.ts';

/** A client whose signatures the gateway verifies, with its permissions. */
export const clientSchema = map({
  accessKeyId: accessKeyId(),
  secretAccessKey: text('a secret access key'),
  previousSecretAccessKey: text('the secret access key before, while it still holds').optional(),
  allow: listOf(
    map({
      buckets: listOf(text('the name of a bucket, or "*"'), 'bucket names'),
      keys: keyPatterns().default(['**']),
      actions: listOf(action(), 'actions'),
    }),
    'grants, such as { buckets: [photos], keys: ["public/**"], actions: [GetObject] }',
  ),
}).check(({ value, issues }) => {
  const { secretAccessKey, previousSecretAccessKey: input } = value;
  if (input !== secretAccessKey) return;
  const path = ['previousSecretAccessKey'];
  issues.push({ code: 'custom', path, message: 'another one than secretAccessKey', input });
});
