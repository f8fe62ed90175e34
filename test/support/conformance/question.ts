import type { Account } from '../../../src/embedded-store/access/caller.ts';
import type { HeaderPrefix } from '../../../src/s3/dialect.ts';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { presignUrl, signRequest } from '../../../src/s3/sigv4-sign.ts';
import { OWNER } from '../embedded-store/store-under-test.ts';
import type { RawRequest } from '../raw-request.ts';

/** A request without its dialect, to be put to a store or to the gateway. */
export interface Question {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  /** Instead of the host that it is sent to. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Headers of the store's own, by their names without prefix. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Who signs. Default: the owner of the store. */
  readonly as?: Account | 'anonymous';
}

export interface Delivery {
  readonly origin: string;
  readonly prefix: HeaderPrefix;
  readonly nowMs: number;
  /** What the signature is made for. Default: `us-east-1`. */
  readonly region?: string;
  /** What a signature in headers says of the body. Default: that there is none. */
  readonly payloadHash?: string;
}

/** The request that puts `question`: signed in headers, in the dialect of `prefix`, unless it is anonymous. */
export function signedQuestion(question: Question, delivery: Delivery): RawRequest {
  const { origin, prefix, nowMs, region = 'us-east-1', payloadHash = EMPTY_PAYLOAD_HASH } = delivery;
  const { method = 'GET', path, headers = {}, fields = {}, as = OWNER } = question;
  const host = question.host ?? new URL(origin).host;
  const sent: Record<string, string | readonly string[]> = { ...headers, host };
  for (const [name, value] of Object.entries(fields)) sent[prefix + name] = value;
  if (as === 'anonymous') return { method, path, headers: sent };
  const mark = path.indexOf('?');
  const signed = signRequest(
    {
      method,
      host,
      rawPath: mark < 0 ? path : path.slice(0, mark),
      rawQuery: mark < 0 ? '' : path.slice(mark + 1),
      headers: Object.entries(fields).map(([name, value]) => [prefix + name, value]),
      payloadHash,
    },
    { credentials: as, region, headerPrefix: prefix, nowMs, keys: new SigningKeys() },
  );
  return { method, path, headers: { ...sent, ...Object.fromEntries(signed) } };
}

/** The URL that puts `question` to whoever is given it, for `expiresS` seconds; `fields` are signed and sent as headers. */
export function presignedQuestion(question: Question, delivery: Delivery, expiresS = 60): RawRequest {
  const { method = 'GET', path, headers = {}, fields = {}, as = OWNER } = question;
  if (as === 'anonymous') throw new RangeError('a URL is presigned by somebody');
  const { prefix, nowMs, region = 'us-east-1' } = delivery;
  const [rawPath = '', rawQuery = ''] = path.split('?', 2);
  const named = Object.entries(fields).map(([name, value]): [string, string] => [prefix + name, value]);
  const { host } = new URL(delivery.origin);
  const { pathname, search } = new URL(
    presignUrl(
      { method, origin: delivery.origin, rawPath, rawQuery, headers: named, expiresS },
      { credentials: as, region, headerPrefix: prefix, nowMs, keys: new SigningKeys() },
    ),
  );
  return { method, path: pathname + search, headers: { ...headers, ...Object.fromEntries(named), host } };
}
