import { parseRange } from '../../http/range.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import { heardDirectives, type ObjectRead } from './object-read.ts';

/**
 * Longer ones are not memoised. A bucket and the longest key, percent-encoded, and the name of a host (RFC 1035 §2.3.4)
 * are shorter. From 16 384 characters on, V8's string hash depends on the length alone (`String::kMaxHashCalcLength`), so
 * look-ups of such strings of equal length would degrade to comparing them all.
 */
const URL_LENGTH_LIMIT = 4_096;
const HOST_LENGTH_LIMIT = 512;

/** What all plain reads of one URL at one host have in common. */
interface PlainRead {
  readonly bucket: string;
  readonly key: string;
  readonly prefix: Exchange['prefix'];
  /** For the whole object, without preconditions. */
  readonly read: ObjectRead;
  readonly visibility: ClientRead['visibility'];
  readonly mayKnowMissing: boolean;
}

const noOverrides: ClientRead['overrides'] = [];
const noRange = parseRange(undefined);

/**
 * Memoises plain reads: anonymous GETs without query, store fields or Origin, which are most of the traffic. Nothing but
 * host and URL decides their address, bucket, grants and policy, and whether the host is valid, so these are worked out
 * once per host and URL; range, preconditions and directives are parsed again.
 */
export class PlainReads {
  readonly #reads = new TargetMemo<PlainRead>();

  /** The memoised read for `exchange`, if it is a plain one that was allowed before. */
  find(exchange: Exchange, fields: RequestFields, nowMs: number): ClientRead | undefined {
    const host = plainHost(exchange, fields);
    const plain = host === undefined ? undefined : this.#reads.find(host, exchange.url);
    if (!plain) return undefined;
    exchange.bucket = plain.bucket;
    exchange.backend = plain.read.bucket.store.name;
    exchange.key = plain.key;
    exchange.prefix = plain.prefix;
    exchange.operation = 'GetObject';
    const { visibility, mayKnowMissing } = plain;
    const isWhole = fields.range === undefined && !fields.isConditional;
    const undirected = isWhole ? plain.read : partOf(plain.read, fields);
    const directives = heardDirectives(undirected.policy, fields);
    const untraced = directives ? { ...undirected, directives } : undirected;
    const read = exchange.trace ? { ...untraced, trace: exchange.trace } : untraced;
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

  /** Memoises `client`, whose Host is valid and which was allowed, if it is a plain read. */
  remember({ exchange, fields, read, visibility, mayKnowMissing }: ClientRead): void {
    const { bucket, key = '', prefix, url, caller } = exchange;
    const host = plainHost(exchange, fields);
    if (host === undefined || caller !== undefined || url.includes('?')) return;
    const whole = { ...read, range: noRange, isConditional: false, directives: undefined, trace: undefined };
    const plain = { bucket, key, prefix, read: whole, visibility, mayKnowMissing };
    // the key is held twice, and may need two bytes per character
    this.#reads.add(host, url, plain, 2 * (key.length + read.objectKey.text.length));
  }
}

/**
 * The host of a plain read; undefined for other requests. A request without Host is never plain: whether it is valid
 * depends on the HTTP version (RFC 9112 §3.2). The query is left out of the check: no URL with one is remembered.
 */
function plainHost({ method, url }: Exchange, fields: RequestFields): string | undefined {
  const { host } = fields;
  const isPlain =
    method === 'GET' &&
    host !== undefined &&
    host.length <= HOST_LENGTH_LIMIT &&
    url.length <= URL_LENGTH_LIMIT &&
    fields.store === undefined &&
    fields.authorization === undefined &&
    fields.origin === undefined;
  return isPlain ? host : undefined;
}

function partOf(whole: ObjectRead, { range, isConditional }: RequestFields): ObjectRead {
  return { ...whole, range: parseRange(range), isConditional };
}

/** Limits of the memo: number of targets and their heap cost, half of each per generation. */
const TARGETS_LIMIT = 10_000;
const LIMIT_BYTES = 8 * 1024 * 1024;
/** Estimated heap cost of an entry, and of the map of a host, without strings. */
const ENTRY_BYTES = 512;
const HOST_BYTES = 512;

/**
 * Remembers a value for each request target: a URL at a host. Clients choose both, so the memo is bounded in number and
 * bytes. It has two generations: when the younger is full, the older one is dropped. A look-up therefore changes nothing,
 * and builds no string of host and URL.
 */
export class TargetMemo<Value> {
  #younger = new Generation<Value>();
  #older = new Generation<Value>();

  find(host: string, url: string): Value | undefined {
    return this.#younger.hosts.get(host)?.get(url) ?? this.#older.hosts.get(host)?.get(url);
  }

  /** @param costBytes heap cost of the strings of `value` */
  add(host: string, url: string, value: Value, costBytes: number): void {
    if (this.#younger.isFull) {
      this.#older = this.#younger;
      this.#younger = new Generation();
    }
    this.#younger.add(host, url, value, costBytes);
  }
}

class Generation<Value> {
  /** The values of each host, by URL. */
  readonly hosts = new Map<string, Map<string, Value>>();
  #count = 0;
  #costBytes = 0;

  get isFull(): boolean {
    return this.#count >= TARGETS_LIMIT / 2 || this.#costBytes >= LIMIT_BYTES / 2;
  }

  add(host: string, url: string, value: Value, costBytes: number): void {
    let urls = this.hosts.get(host);
    if (!urls) {
      urls = new Map();
      this.hosts.set(host, urls);
      this.#costBytes += HOST_BYTES + host.length;
    }
    urls.set(url, value);
    this.#count++;
    this.#costBytes += ENTRY_BYTES + url.length + costBytes;
  }
}
