import { OperationError } from './operation-error.ts';
import { type BodySource, ReceivedBody } from './received-body.ts';

const MAX_DOCUMENT_BYTES = 2 * 1024 ** 2;

/**
 * The text of a request's body, verified like any other body.
 *
 * @throws MalformedXML when it is too long
 */
export async function receiveDocument(source: BodySource): Promise<string> {
  const body = new ReceivedBody(source);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const bytes of body.source) {
    sizeBytes += bytes.length;
    if (sizeBytes > MAX_DOCUMENT_BYTES) throw new OperationError('MalformedXML');
    for (const digest of body.digests) digest.update(bytes);
    chunks.push(bytes);
  }
  body.accept(sizeBytes);
  return Buffer.concat(chunks).toString();
}
