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
  const { exchange, read, mayKnowMissing } = client;
  if (error instanceof RefusedByStoreError) {
    if (record) source.refusedByStore(read, record, error.reply);
    exchange.isCharged ||= readContentHead(error.reply).isCharged;
    exchange.report = refusedByStore(whyForwarded(client, source), error.reply.status);
    replyRefusal(exchange, read.bucket, error.reply, mayKnowMissing);
  } else {
    exchange.failure = error instanceof Error ? error : new Error(String(error));
    if (error instanceof NotCachedError) exchange.report = notAsked;
    else if (!record && isStoreFailure(error)) exchange.report = failedAtStore(error.code);
    const crossOrigin = (record?.fields ?? []).filter(isCrossOrigin);
    replyError(exchange, asS3Error(error), rawFromFields(crossOrigin, exchange.prefix));
  }
  observer.sent(exchange);
}

function whyForwarded({ read, nowMs }: ClientRead, { records }: ObjectSource): Forwarded {
  const held = lookupRecord(records, read);
  return held ? whyUnused(held, read, nowMs) : 'uri-miss';
}
