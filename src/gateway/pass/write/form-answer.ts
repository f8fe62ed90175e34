import { httpField, type WholeReply } from '../../../backend/store.ts';
import { encodeKey } from '../../../s3/address.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { NAMESPACE } from '../../../s3/xml-text.ts';
import { documentTags, leaf } from '../../../s3/xml-writer.ts';

/** Who posted what to where, in the names of clients. */
interface PostedTo {
  readonly bucket: string;
  readonly key: string;
  /** The address of the bucket, without a slash at its end. */
  readonly bucketUrl: string;
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * The answer to a form, from the store's answer to PutObject
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html).
 */
export function formAnswer(reply: WholeReply, { bucket, key, bucketUrl, fields }: PostedTo): WholeReply {
  const etag = httpField(reply, 'etag') ?? '';
  const kept = reply.fields.filter(({ name, store }) => !(store ? ofPuts : ofBodies).has(name));
  const redirect = redirectTo(fields.get('success_action_redirect') ?? fields.get('redirect'));
  if (redirect) {
    for (const [name, value] of Object.entries({ bucket, key, etag })) redirect.searchParams.set(name, value);
    return { status: 303, fields: [...kept, location(redirect.href)], body: Buffer.alloc(0) };
  }
  const url = `${bucketUrl}/${encodeKey(key).replaceAll('/', '%2F')}`;
  const status = fields.get('success_action_status');
  const told = [...kept, location(url)];
  if (status === '200') return { status: 200, fields: told, body: Buffer.alloc(0) };
  if (status !== '201') return { status: 204, fields: told, body: Buffer.alloc(0) };
  const content = [leaf('Location', url), leaf('Bucket', bucket), leaf('Key', key), leaf('ETag', etag)].join(
    '',
  );
  const { start, end } = documentTags({ name: 'PostResponse', attributes: namespace });
  return { status: 201, fields: [...told, xml], body: Buffer.from(start + content + end) };
}

const namespace = new Map([['xmlns', NAMESPACE]]);

const ofBodies: ReadonlySet<string> = new Set(['content-length', 'content-type']);

/** What stores add to their answers to PutObject. */
const ofPuts: ReadonlySet<string> = new Set(['object-size']);

const xml: HeaderField = { name: 'content-type', value: 'application/xml', store: false };

/** An address that is none is ignored (AWS does, too): the object has been stored. */
function redirectTo(text: string | undefined): URL | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function location(value: string): HeaderField {
  return { name: 'location', value, store: false };
}
