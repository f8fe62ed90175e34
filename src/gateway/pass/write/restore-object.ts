import type { WholeReply } from '../../../backend/store.ts';
import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import { s3Error } from '../../../s3/error.ts';
import {
  formatRestoreDocument,
  RESTORE_LIMIT_BYTES,
  readRestoreDocument,
} from '../../../s3/restore-document.ts';
import { RefusedByStoreError } from '../../fill/fill-error.ts';
import { bypassed } from '../../request/cache-status.ts';
import { DocumentJob } from '../document-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest, storeFieldsOf } from '../passed-request.ts';
import { openWriteOf } from './open-write-of.ts';
import { declaredOf } from './pass-write.ts';
import { StoreWrite } from './store-write.ts';
import { readWhole } from './whole-body.ts';

/**
 * Passes RestoreObject to the store, with a body of the gateway's own: a restore that has the store write the object to
 * another place is refused.
 *
 * @throws S3Error those of `declaredPayload` and `passedRequest`; MalformedXML for a body that is too large;
 * TooManyRequestsError
 */
export function restoreObject(other: OtherOperation): void {
  const { exchange, address, permissions } = other;
  const declared = declaredOf(other, storeFieldsOf(other));
  if (declared.lengthBytes > RESTORE_LIMIT_BYTES)
    throw s3Error('MalformedXML', { reason: 'the body is too long' });
  exchange.report = bypassed(exchange.method, 'operation');
  const job = new DocumentJob(other);
  const key = address.kind === 'object' ? address.key : '';
  const sent = askStore(other, job, declared).then(reply => job.send(reply));
  job.finish(sent, permissions.allows('ListBucket', key));
}

async function askStore(
  other: OtherOperation,
  job: DocumentJob,
  declared: DeclaredPayload,
): Promise<WholeReply> {
  const { exchange, bucket } = other;
  const passed = passedRequest(other);
  job.keep(declared.lengthBytes);
  const sent = await readWhole(other, declared);
  const body =
    sent.length > 0 ? Buffer.from(formatRestoreDocument(readRestoreDocument(sent.toString()))) : sent;
  const reply = await job.ask(
    {
      send: (toSend, receiver) =>
        StoreWrite.send(exchange, {
          ...{
            store: bucket.store,
            request: toSend,
            open: openWriteOf(other),
            receiver,
            resultLimitBytes: 0,
          },
        }),
    },
    { ...passed, body },
    RESTORE_LIMIT_BYTES,
  );
  if (reply.status >= 300) throw new RefusedByStoreError(reply);
  // it has none, and what a store puts there may name the bucket
  return { ...reply, body: Buffer.alloc(0) };
}
