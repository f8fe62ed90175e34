import { GhostList } from '../../cache/ghost-list.ts';
import { parseRange } from '../../http/range.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { ClientRead } from './client-read.ts';
import type { Exchange } from './exchange.ts';
import type { KeyRules } from './key-rules.ts';
import { heardDirectives, type ObjectRead } from './object-read.ts';
import { TargetMemo, URL_LENGTH_LIMIT } from './target-memo.ts';

/** As for `URL_LENGTH_LIMIT`: the name of a host is shorter (RFC 1035 §2.3.4). */
const HOST_LENGTH_LIMIT = 512;

/** Of so many objects whose plain reads were not memoised yet it is known that there was one. */
const MET_LIMIT = 8_192;

/** What all plain reads of one URL at one host have in common. */
interface PlainRead {
  readonly bucket: string;
  readonly key: string;
  readonly prefix: Exchange['prefix'];
  readonly rules: KeyRules;
  /** For the whole object, without preconditions. */
  readonly read: ObjectRead;
  readonly visibility: ClientRead['visibility'];
  readonly mayKnowMissing: boolean;
  readonly page: ClientRead['page'];
}

const noOverrides: ClientRead['overrides'] = [];
const noRange = parseRange(undefined);

/**
 * Memoises plain reads: anonymous GETs without query, store fields or Origin, which are most of the traffic. Nothing but
 * host and URL decides their address, bucket, grants and policy, and whether the host is valid, so these are worked out
 * once per host and URL; range, preconditions and directives are parsed again. Most objects of a large bucket are read once in
 * a long time, so that is done for those that come again.
 */
export class PlainReads {
  readonly #reads = new TargetMemo<PlainRead>();
  readonly #met = new GhostList(MET_LIMIT, MET_LIMIT);

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
    const { rules, visibility, mayKnowMissing, page } = plain;
    if (rules.answers) exchange.ruleBy(rules.answers, undefined);
    const isWhole = fields.range === undefined && !fields.isConditional;
    const undirected = isWhole ? plain.read : partOf(plain.read, fields);
    const directives = heardDirectives(undirected.policy, fields);
    const untraced = directives ? { ...undirected, directives } : undirected;
    const read = exchange.trace ? { ...untraced, trace: exchange.trace } : untraced;
    return {
      exchange,
      fields,
      rules,
      read,
      range: read.range,
      isAllowed: true,
      visibility,
      overrides: noOverrides,
      mayKnowMissing,
      customerKey: undefined,
      nowMs,
      page,
    };
  }

  /** Memoises `client`, whose Host is valid and which was allowed, if it is a plain read and its object has been met lately. */
  remember({ exchange, fields, rules, read, visibility, mayKnowMissing, page }: ClientRead): void {
    const { bucket, key = '', prefix, url, caller } = exchange;
    const host = plainHost(exchange, fields);
    if (host === undefined || caller !== undefined || url.includes('?')) return;
    const { hash } = read.objectKey;
    if (!this.#met.take(hash)) {
      this.#met.add(hash, 1);
      return;
    }
    const asWhole = { range: noRange, ifRange: undefined, isConditional: false };
    const whole = { ...read, ...asWhole, directives: undefined, trace: undefined };
    const plain = { bucket, key, prefix, rules, read: whole, visibility, mayKnowMissing, page };
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

function partOf(whole: ObjectRead, { range, ifRange, isConditional }: RequestFields): ObjectRead {
  return { ...whole, range: parseRange(range), ...(ifRange !== undefined && { ifRange }), isConditional };
}
