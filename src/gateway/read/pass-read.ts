import { answersRange, parseRange } from '../../http/range.ts';
import { CUSTOMER_ALGORITHM, type CustomerKey } from '../../s3/customer-key.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import {
  type ContentHead,
  hasInexactRange,
  hasNoContent,
  isPartAsWhole,
  mayBePart,
} from '../fill/content-head.ts';
import { passThrough } from '../pass/pass-through.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { isVisible } from '../reply/object-headers.ts';
import { fromFallback } from '../request/cache-status.ts';
import type { ClientRead } from '../request/client-read.ts';
import { readAtFallback } from '../request/fallback-bucket.ts';
import { readsMade, resumesMade, sentAsIs } from '../request/made-tags.ts';
import { FallbackRead } from './send-with-fallback.ts';
import { storeRequest } from './store-request.ts';

/**
 * Passes a read through: forwards the client's request, including range and preconditions, and caches nothing of the
 * answer.
 *
 * @param detail why the cache is bypassed, a token (RFC 9211 §2.8)
 * @param more additional fields for the request
 */
export function passRead(
  client: ClientRead,
  observer: ExchangeObserver,
  detail: string,
  more: readonly HeaderField[] = [],
): void {
  if (client.status !== undefined) {
    // a document for errors that is not read from the cache: what is passed on has a status of its own
    client.page?.otherwise?.();
    return;
  }
  const { exchange, read, visibility, overrides, mayKnowMissing } = client;
  const { store } = read.bucket;
  const request = storeRequest(read, read.method, { partNumber: read.partNumber });
  const elsewhere = readAtFallback(client);
  let shown = visibility;
  const fallback = elsewhere && {
    store: elsewhere.read.bucket.store,
    onAsked: () => observer.fallbacks.cell(store.name).add(),
    onAnswered: () => {
      exchange.report = fromFallback(exchange.report);
      // its names are not those of the bucket's own store
      shown = elsewhere.visibility;
    },
  };
  const asked: HeaderField[] = [...request.fields, ...conditions(client), ...more];
  passThrough(exchange, read.bucket, { ...request, fields: asked }, observer, {
    detail,
    mayKnowMissing,
    keep: field => isVisible(field, shown),
    overrides,
    faultOf: head => faultOfAnswer(head, client),
    ...(fallback && { send: (sent, receiver) => FallbackRead.send(store, fallback, sent, receiver) }),
  });
}

function conditions(client: ClientRead): readonly HeaderField[] {
  const fields = resumesMade(client)
    ? { ...client.fields, range: undefined, ifRange: undefined }
    : client.fields;
  const sent: readonly (readonly [string, string | undefined])[] = [
    ['range', fields.range],
    ['if-range', fields.ifRange],
    ['if-match', fields.ifMatch],
    ['if-none-match', fields.ifNoneMatch],
    ['if-modified-since', fields.ifModifiedSince],
    ['if-unmodified-since', fields.ifUnmodifiedSince],
  ];
  const told = sent.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value, store: false }]));
  return readsMade(client) ? sentAsIs(told) : told;
}

/**
 * Passes a read with a customer-provided key through to the store (docs/architecture.md, Access; docs/semantics.md
 * 164).
 */
export function serveSealed(client: ClientRead, key: CustomerKey, observer: ExchangeObserver): void {
  passRead(client, observer, 'sse-c', keyFields(key));
}

function keyFields({ key, keyMd5 }: CustomerKey): HeaderField[] {
  const name = 'server-side-encryption-customer';
  return [
    { name: `${name}-algorithm`, value: CUSTOMER_ALGORITHM, store: true },
    { name: `${name}-key`, value: key, store: true },
    { name: `${name}-key-md5`, value: keyMd5, store: true },
  ];
}

/** What is wrong with the head of an answer, if it cannot be that to the request (docs/semantics.md, Decided 5). */
function faultOfAnswer(head: ContentHead, { fields, read }: ClientRead): string | undefined {
  const isConditional = fields.ifNoneMatch !== undefined || fields.ifModifiedSince !== undefined;
  if (head.status === 304 && !isConditional) return '304 without a condition';
  if (read.partNumber !== undefined) return faultOfPart(head, read.partNumber, read.method);
  if (isPartAsWhole(head)) return '200 with bytes alone';
  if (head.status !== 206) return undefined;
  if (fields.range === undefined) return '206 without a range';
  const asked = parseRange(fields.range);
  // several ranges are told in the body
  if (asked.kind === 'absent' || hasInexactRange(head)) return undefined;
  if (asked.kind === 'suffix' && hasNoContent(head)) return undefined;
  const { range, rangeText } = head;
  return range && answersRange(range, asked) ? undefined : `content-range ${rangeText}`;
}

function faultOfPart(head: ContentHead, partNumber: number, method: string): string | undefined {
  const { status, range, rangeText } = head;
  if (status !== 206 || hasNoContent(head) || hasInexactRange(head)) return undefined;
  if (rangeText === undefined && method === 'HEAD') return undefined;
  return range && mayBePart(range, partNumber) ? undefined : `content-range ${rangeText}`;
}
