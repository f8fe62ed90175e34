import type { WholeReply } from '../../backend/store.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import { rawFromFields } from '../../s3/dialect.ts';
import { isCrossOrigin } from '../../s3/passed-fields.ts';
import { readContentHead } from '../fill/content-head.ts';
import { NotCachedError, RefusedByStoreError } from '../fill/fill-error.ts';
import { asS3Error, replyError } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { replyRefusal } from '../reply/refusal-reply.ts';
import { type Forwarded, failedAtStore, notAsked, refusedByStore } from '../request/cache-status.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { ObjectSource } from './object-source.ts';
import { lookupRecord, whyUnused } from './record-cache.ts';
import { isStoreFailure } from './store-failure.ts';

/**
 * Answers a read that has failed before its first byte: with the store's refusal, or with an error of the gateway.
 *
 * @param record that was found, if any
 */
export function replyToFailure(
  client: ClientRead,
  source: ObjectSource,
  record: ObjectRecord | undefined,
  error: unknown,
  observer: ExchangeObserver,
): void {
  const { exchange } = client;
  if (error instanceof RefusedByStoreError) {
    noteRefusal(client, source, record, error.reply);
    replyNoted(client, error.reply, observer);
    return;
  }
  exchange.failure = error instanceof Error ? error : new Error(String(error));
  if (error instanceof NotCachedError) exchange.report = notAsked;
  else if (!record && isStoreFailure(error)) exchange.report = failedAtStore(error.code);
  const crossOrigin = (record?.fields ?? []).filter(isCrossOrigin);
  replyError(exchange, asS3Error(error), rawFromFields(crossOrigin, exchange.prefix));
  observer.sent(exchange);
}

/** What follows from the store's refusal of a read, whatever is answered. @param record that was found, if any */
export function noteRefusal(
  client: ClientRead,
  source: ObjectSource,
  record: ObjectRecord | undefined,
  reply: WholeReply,
): void {
  const { exchange, read } = client;
  if (record) source.refusedByStore(read, record, reply);
  exchange.isCharged ||= readContentHead(reply).isCharged;
  exchange.report = refusedByStore(whyForwarded(client, source), reply.status);
}

/** Answers with a refusal that was noted. */
export function replyNoted(
  { exchange, read, mayKnowMissing }: ClientRead,
  reply: WholeReply,
  observer: ExchangeObserver,
): void {
  replyRefusal(exchange, read.bucket, reply, mayKnowMissing);
  observer.sent(exchange);
}

function whyForwarded({ read, nowMs }: ClientRead, { records }: ObjectSource): Forwarded {
  const held = lookupRecord(records, read);
  return held ? whyUnused(held, read, nowMs) : 'uri-miss';
}
