import { LRUCache } from 'lru-cache';
import { parseRange } from '../../http/range.ts';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRead } from './object-read.ts';
import type { RequestFields } from './request-fields.ts';

/** URLs that are remembered, by their number and by the heap that they cost in bytes. */
const URLS_LIMIT = 10_000;
const URLS_LIMIT_BYTES = 8 * 1024 * 1024;
/** Estimated heap of one of them beside its texts. */
const ENTRY_BYTES = 512;

/**
 * Longer URLs are not remembered: a bucket and the longest key, three characters a byte where it is percent-encoded, are
 * shorter. The hash of a string in V8 depends on its length alone from 16 384 characters on (`String::kMaxHashCalcLength`),
 * so that look-ups of such strings, all of one length, would compare each with every other.
 */
const URL_LENGTH_LIMIT = 4_096;

/** What does not change between two plain reads of one URL. */
interface PlainRead {
  readonly host: string;
  readonly bucket: string;
  readonly key: string | undefined;
  readonly prefix: Exchange['prefix'];
  /** Of all of the object, without conditions. */
  readonly read: ObjectRead;
  readonly visibility: ClientRead['visibility'];
  readonly mayKnowMissing: boolean;
}

const noOverrides: ClientRead['overrides'] = [];
const noRange = parseRange(undefined);

/**
 * Plain reads are GETs by anonymous callers without query or fields of the store: most of what a cache is asked for.
 * What such a URL comes to (address, bucket, grants, policy) is the same each time, so it is worked out once; only
 * range and conditions are looked at anew.
 */
export class PlainReads {
  readonly #reads = new LRUCache<string, PlainRead>({
    max: URLS_LIMIT,
    maxSize: URLS_LIMIT_BYTES,
    sizeCalculation: costBytes,
  });

  /** The read that `exchange` asks for, if it is a plain one that was allowed before. */
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
      visibility,
      overrides: noOverrides,
      mayKnowMissing,
      nowMs,
    };
  }

  /** Remembers `client`, which has been allowed, if it is a plain read. */
  remember({ exchange, fields, read, visibility, mayKnowMissing }: ClientRead): void {
    const { host } = fields;
    if (host === undefined || !isPlain(exchange, fields) || exchange.caller !== undefined) return;
    const { bucket, key, prefix, url } = exchange;
    const whole = { ...read, range: noRange, isConditional: false };
    this.#reads.set(url, { host, bucket, key, prefix, read: whole, visibility, mayKnowMissing });
  }
}

/** Decoded keys may have two bytes a character. */
function costBytes({ host = '', key = '' }: PlainRead, url: string): number {
  return ENTRY_BYTES + url.length + host.length + 2 * key.length;
}

/** A request without Host is never plain: whether it may lack one depends on its version (RFC 9112 §3.2). */
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
