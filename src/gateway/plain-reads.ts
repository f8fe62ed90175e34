import { LRUCache } from 'lru-cache';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import type { RequestFields } from './request-fields.ts';

/** URLs that are remembered. */
const urlsLimit = 10_000;

/** What does not change between two plain reads of one URL. */
interface PlainRead {
  readonly host: string | undefined;
  readonly bucket: string;
  readonly key: string | undefined;
  readonly prefix: Exchange['prefix'];
  readonly read: ClientRead['read'];
  readonly visibility: ClientRead['visibility'];
  readonly mayKnowMissing: boolean;
}

const noOverrides: ClientRead['overrides'] = [];

/**
 * Plain reads are GETs by anonymous callers without query, range, conditions or fields of the store: most of what a
 * cache is asked for. What such a URL comes to (address, bucket, grants, policy) is the same each time, so it is
 * worked out once.
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
    const { read, visibility, mayKnowMissing } = plain;
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
    this.#reads.set(url, { host: fields.host, bucket, key, prefix, read, visibility, mayKnowMissing });
  }
}

function isPlain({ method, url }: Exchange, fields: RequestFields): boolean {
  return (
    method === 'GET' &&
    fields.store === undefined &&
    fields.authorization === undefined &&
    fields.range === undefined &&
    fields.origin === undefined &&
    !fields.isConditional &&
    !url.includes('?')
  );
}
