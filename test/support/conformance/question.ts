import type { Account } from '../../../src/backend/embedded/access/caller.ts';
import type { HeaderPrefix } from '../../../src/s3/dialect.ts';
import { EMPTY_PAYLOAD_HASH } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { signRequest } from '../../../src/s3/sigv4-sign.ts';
import { OWNER } from '../embedded/store-under-test.ts';
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
}

/** The request that puts `question`: signed in headers, in the dialect of `prefix`, unless it is anonymous. */
export function signedQuestion(question: Question, { origin, prefix, nowMs }: Delivery): RawRequest {
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
      payloadHash: EMPTY_PAYLOAD_HASH,
    },
    { credentials: as, region: 'us-east-1', headerPrefix: prefix, nowMs, keys: new SigningKeys() },
  );
  return { method, path, headers: { ...sent, ...Object.fromEntries(signed) } };
}
