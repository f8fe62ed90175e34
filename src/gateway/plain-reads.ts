import { LRUCache } from 'lru-cache';
import { parseRange } from '../http/range.ts';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectRead } from './lookup/object-read.ts';
import type { RequestFields } from './request-fields.ts';

/** URLs that are remembered. */
const urlsLimit = 10_000;

/** What does not change between two plain reads of one URL. */
interface PlainRead {
  readonly host: string | undefined;
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
  readonly #reads = new LRUCache<string, PlainRead>({ max: urlsLimit });

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
    if (!isPlain(exchange, fields) || exchange.caller !== undefined) return;
    const { bucket, key, prefix, url } = exchange;
    const whole = { ...read, range: noRange, isConditional: false };
    this.#reads.set(url, { host: fields.host, bucket, key, prefix, read: whole, visibility, mayKnowMissing });
  }
}

function isPlain({ method, url }: Exchange, fields: RequestFields): boolean {
  return (
    method === 'GET' &&
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
