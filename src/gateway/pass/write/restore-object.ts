import type { WholeReply } from '../../../backend/store.ts';
import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import { s3Error } from '../../../s3/error.ts';
import { isElement, readXml, type XmlElement } from '../../../s3/xml-reader.ts';
import { RefusedByStoreError } from '../../fill/fill-error.ts';
import { bypassed } from '../../request/cache-status.ts';
import { ListingJob } from '../listing/listing-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest, saidFields } from '../passed-request.ts';
import { keepingPlace } from './keeping-place.ts';
import { openWriteOf } from './open-write-of.ts';
import { declaredOf } from './pass-write.ts';
import { StoreWrite } from './store-write.ts';
import { readWhole } from './whole-body.ts';

/** A request for a restore takes a few hundred bytes; one with a query that is written elsewhere may take some thousands. */
const LIMIT_BYTES = 64 * 1024;
const limits = { length: LIMIT_BYTES, depth: 16, nodes: 1_000, memberLength: LIMIT_BYTES };

/** What they name is another object, which the store would write: in any bucket, with the gateway's rights. */
const elsewhere: ReadonlySet<string> = new Set(['OutputLocation', 'SelectParameters']);

/**
 * Passes RestoreObject to the store once its body has been read: one that has the store write the object to another
 * place is refused.
 *
 * @throws S3Error those of `declaredPayload` and `passedRequest`; MalformedXML for a body that is too large;
 * TooManyRequestsError
 */
export function restoreObject(other: OtherOperation): void {
  const { exchange, address, permissions } = other;
  const declared = declaredOf(other, saidFields(other));
  if (declared.lengthBytes > LIMIT_BYTES) throw s3Error('MalformedXML', { reason: 'the body is too long' });
  exchange.report = bypassed('operation');
  const job = new ListingJob(other);
  const key = address.kind === 'object' ? address.key : '';
  const sent = askStore(other, job, declared).then(reply => job.send(reply));
  job.finish(sent, permissions.allows('ListBucket', key));
}

async function askStore(
  other: OtherOperation,
  job: ListingJob,
  declared: DeclaredPayload,
): Promise<WholeReply> {
  const { exchange, request, bucket } = other;
  const passed = passedRequest(other);
  job.keep(declared.lengthBytes);
  const body = await readWhole(request, exchange, declared);
  if (body.length > 0) requireInPlace(readXml(body.toString(), limits));
  const reply = await job.ask(
    {
      send: (toSend, receiver) => {
        const { open } = openWriteOf(other, receiver);
        return StoreWrite.send(bucket.store, toSend, undefined, keepingPlace(exchange, open), receiver);
      },
    },
    { ...passed, body },
    LIMIT_BYTES,
  );
  if (reply.status >= 300) throw new RefusedByStoreError(reply);
  return reply;
}

function requireInPlace(root: XmlElement | undefined): void {
  if (root?.name !== 'RestoreRequest') throw s3Error('MalformedXML');
  if (root.children.some(child => isElement(child) && elsewhere.has(child.name)))
    throw s3Error('NotImplemented', { reason: 'the result of the restore would be written elsewhere' });
}
