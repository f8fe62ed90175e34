import { type StoreReplyHead, storeField, type WholeReply } from '../../backend/store.ts';
import type { RefusedRecord } from '../../cache/record.ts';
import { rawFromFields } from '../../s3/dialect.ts';
import { s3Error } from '../../s3/error.ts';
import { errorBody, parseErrorBody, type RememberedError } from '../../s3/error-body.ts';
import { errorInDialect } from '../../s3/error-dialect.ts';
import type { Bucket } from '../bucket.ts';
import type { Exchange } from '../exchange.ts';
import type { RequestIds } from '../request-ids.ts';
import { replyError, sendWhole } from './error-reply.ts';
import { isCrossOrigin, isOfTheReply } from './passed-fields.ts';

/** Answers with a refusal that is remembered: the store's words, under the ids of this answer. */
export function replyRemembered(
  exchange: Exchange,
  bucket: Bucket,
  { status, fields, body }: RefusedRecord,
  ageS: number | undefined,
): void {
  const raw = rawFromFields(fields, exchange.prefix);
  sendWhole(exchange, status, raw, retold(exchange, bucket, body, exchange), exchange, ageS);
}

/**
 * Answers with what the store said to this very request when it refused it: its status, its fields, its ids and its words.
 *
 * @param mayKnowMissing whether a missing key may be called missing (object-retrieval.md, Authentication 4).
 */
export function replyRefusal(
  exchange: Exchange,
  bucket: Bucket,
  reply: WholeReply,
  mayKnowMissing: boolean,
): void {
  if (!mayKnowMissing && tellsMissing(reply)) {
    const crossOrigin = rawFromFields(reply.fields.filter(isCrossOrigin), exchange.prefix);
    replyError(exchange, s3Error('AccessDenied'), crossOrigin);
    return;
  }
  if (reply.status >= 500 && reply.body.length === 0) {
    // Asked with HEAD on a client's behalf, a store gives no words of its own.
    replyError(exchange, s3Error('ServiceUnavailable'));
    return;
  }
  const body = retold(exchange, bucket, reply.body, idsOf(exchange, reply));
  replyAsStored(exchange, { ...reply, body });
}

/** Answers with `reply` as it is, under the ids that the store gave it (interface.md, Response headers). */
export function replyAsStored(exchange: Exchange, reply: WholeReply): void {
  const fields = reply.fields.filter(
    field => !isOfTheReply(field) && (field.store || field.name !== 'content-length'),
  );
  const raw = rawFromFields(fields, exchange.prefix);
  sendWhole(exchange, reply.status, raw, reply.body, idsOf(exchange, reply), undefined);
}

/** The ids of the store's answer; ours where it has none. */
export function idsOf(exchange: Exchange, head: StoreReplyHead): RequestIds {
  return {
    requestId: storeField(head, 'request-id') ?? exchange.requestId,
    id2: storeField(head, 'id-2') ?? exchange.id2,
  };
}

/**
 * Whether a refusal tells that a key or version is missing, which only those learn who may list (behaviours.md 112). A
 * delete marker is for whoever may read (object-retrieval.md, States).
 */
export function tellsMissing({
  status,
  fields,
  body,
}: Pick<RefusedRecord, 'status' | 'fields' | 'body'>): boolean {
  if (status !== 404) return false;
  if (fields.some(({ store, name, value }) => store && name === 'delete-marker' && value === 'true'))
    return false;
  const code = parseErrorBody(body)?.code;
  return code === undefined || code === 'NoSuchKey' || code === 'NoSuchVersion';
}

/** A store's error in the client's dialect and names, counted by its code; what is no XML error stays as it is. */
function retold(exchange: Exchange, bucket: Bucket, body: Buffer, { requestId, id2 }: RequestIds): Buffer {
  const error = parseErrorBody(body);
  if (!error) return body;
  exchange.errorCode = error.code;
  const told = errorInDialect(inClientNames(error, bucket), exchange.prefix);
  return Buffer.from(errorBody({ ...told, requestId, hostId: id2 }));
}

/** Keys without what stands before them at the store, and the bucket's name as clients use it. */
function inClientNames({ code, message, fields }: RememberedError, bucket: Bucket): RememberedError {
  const { name, bucketAtStore, keyPrefix } = bucket;
  return {
    code,
    message,
    fields: fields.map(([element, value]) => {
      if (element === 'Key' && value.startsWith(keyPrefix)) return [element, value.slice(keyPrefix.length)];
      const namesBucket = element === 'BucketName' || element === 'Bucket';
      return [element, namesBucket && value === bucketAtStore ? name : value];
    }),
  };
}
