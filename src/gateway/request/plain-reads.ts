import { LRUCache } from 'lru-cache';
import { parseRange } from '../../http/range.ts';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRead } from './object-read.ts';
import type { RequestFields } from './request-fields.ts';

/** Limits of the memo: number of URLs and their heap cost. */
const URLS_LIMIT = 10_000;
const URLS_LIMIT_BYTES = 8 * 1024 * 1024;
/** Estimated heap cost of an entry, without its strings. */
const ENTRY_BYTES = 512;

/**
 * Longer URLs are not memoised. A bucket and the longest key, percent-encoded, are shorter. From 16 384 characters on,
 * V8's string hash depends on the length alone (`String::kMaxHashCalcLength`), so look-ups of such strings of equal
 * length would degrade to comparing them all.
 */
const URL_LENGTH_LIMIT = 4_096;

/** What all plain reads of one URL have in common. */
interface PlainRead {
  readonly host: string;
  readonly bucket: string;
  readonly key: string | undefined;
  readonly prefix: Exchange['prefix'];
  /** For the whole object, without preconditions. */
  readonly read: ObjectRead;
  readonly visibility: ClientRead['visibility'];
  readonly mayKnowMissing: boolean;
}

const noOverrides: ClientRead['overrides'] = [];
const noRange = parseRange(undefined);

/**
 * Memoises plain reads: anonymous GETs without query or store fields, which are most of the traffic. Address, bucket,
 * grants and policy of such a URL are the same each time, so they are worked out once; only range and preconditions are
 * parsed again.
 */
export class PlainReads {
  readonly #reads = new LRUCache<string, PlainRead>({
    max: URLS_LIMIT,
    maxSize: URLS_LIMIT_BYTES,
    sizeCalculation: costBytes,
  });

  /** The memoised read for `exchange`, if it is a plain one that was allowed before. */
  find(exchange: Exchange, fields: RequestFields, nowMs: number): ClientRead | undefined {
    const plain = isPlain(exchange, fields) ? this.#reads.get(exchange.url) : undefined;
    if (plain?.host !== fields.host || !plain) return undefined;
    exchange.bucket = plain.bucket;
    exchange.key = plain.key;
    exchange.prefix = plain.prefix;
    exchange.operation = 'GetObject';
    const { visibility, mayKnowMissing } = plain;
    const read = readOf(plain.read, fields);
    return {
      exchange,
      fields,
      read,
      range: read.range,
      isAllowed: true,
      visibility,
      overrides: noOverrides,
      mayKnowMissing,
      customerKey: undefined,
      nowMs,
    };
  }

  /** Memoises `client`, which was allowed, if it is a plain read. */
  remember({ exchange, fields, read, visibility, mayKnowMissing }: ClientRead): void {
    const { host } = fields;
    if (host === undefined || !isPlain(exchange, fields) || exchange.caller !== undefined) return;
    const { bucket, key, prefix, url } = exchange;
    const whole = { ...read, range: noRange, isConditional: false };
    this.#reads.set(url, { host, bucket, key, prefix, read: whole, visibility, mayKnowMissing });
  }
}

/** Decoded keys may need two bytes per character. */
function costBytes({ host = '', key = '' }: PlainRead, url: string): number {
  return ENTRY_BYTES + url.length + host.length + 2 * key.length;
}

/** A request without Host is never plain: whether it is valid depends on the HTTP version (RFC 9112 §3.2). */
function isPlain({ method, url }: Exchange, fields: RequestFields): boolean {
  return (
    method === 'GET' &&
    fields.host !== undefined &&
    url.length <= URL_LENGTH_LIMIT &&
    fields.store === undefined &&
    fields.authorization === undefined &&
    fields.origin === undefined &&
    !url.includes('?')
  );
}

function readOf(whole: ObjectRead, { range, isConditional }: RequestFields): ObjectRead {
  if (range === undefined && !isConditional) return whole;
  return { ...whole, range: parseRange(range), isConditional };
}
