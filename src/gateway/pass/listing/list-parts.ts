import type { WholeReply } from '../../../backend/store.ts';
import { PART_LIST_LIMIT_BYTES, renamePartList } from '../../../s3/listing/part-list.ts';
import { refusedBy } from '../../fill/fill-error.ts';
import { bypassed } from '../../request/cache-status.ts';
import { DocumentJob } from '../document-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';

/**
 * Answers ListParts, the only operation passed through whose answer contains bucket and key, with the names that
 * clients use.
 */
export function answerListParts(other: OtherOperation): void {
  const { exchange, bucket, address, permissions } = other;
  const key = address.kind === 'object' ? address.key : '';
  const passed = passedRequest(other);
  exchange.report = bypassed(exchange.method, 'operation');
  const job = new DocumentJob(other);
  const write = async ({ status, fields, body }: WholeReply): Promise<WholeReply> => {
    if (status !== 200) throw refusedBy({ status, fields, body });
    const written = await job.read(renamePartList(body, bucket.name, key), ({ length }) => length);
    return { status, fields, body: written };
  };
  const sent = job
    .ask(bucket.store, passed, PART_LIST_LIMIT_BYTES)
    .then(write)
    .then(page => job.send(page));
  job.finish(sent, permissions.allows('ListBucket', key));
}
