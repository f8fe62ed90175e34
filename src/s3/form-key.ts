import { isKeyTooLong, keyTooLong, MAX_KEY_BYTES } from './address.ts';
import { fieldMissing } from './post-signature.ts';

/**
 * The key that a form is stored under. In its field `key`, `${filename}` stands for what follows the last slash in the
 * name of the file.
 *
 * @throws S3Error InvalidArgument for an empty key, which would be the bucket; KeyTooLongError
 */
export function keyOfForm(text: string, fileName: string): string {
  const name = fileName.replace(/^.*[/\\]/s, '');
  const pieces = text.split(/\$\{filename\}/);
  // a form is short, but may name its file a thousand times
  const length = text.length + (pieces.length - 1) * name.length;
  if (length > MAX_KEY_BYTES * 2) throw keyTooLong(length);
  const key = pieces.join(name);
  if (key === '') throw fieldMissing('key');
  if (isKeyTooLong(key)) throw keyTooLong(Buffer.byteLength(key));
  return key;
}
