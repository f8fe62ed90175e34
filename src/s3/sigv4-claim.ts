import { isAccessPointService } from './access-point.ts';
import { quotedPart } from './claimed-access-key.ts';
import type { HeaderPrefix } from './dialect.ts';
import { SCOPE_TERMINAL, type Scope, SERVICE } from './sigv4-canonical.ts';
import { credentialDateDiffers, credentialMalformed, type SignatureScheme } from './sigv4-errors.ts';

/** The signature and its parameters as sent: well-formed, but not verified yet. */
export interface SignatureClaim {
  readonly scheme: SignatureScheme;
  readonly headerPrefix: HeaderPrefix;
  readonly accessKeyId: string;
  readonly scope: Scope;
  /** yyyyMMdd'T'HHmmss'Z' */
  readonly timestamp: string;
  readonly signedAtMs: number;
  /** For presigned URLs only. */
  readonly expiresS: number | undefined;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly payloadHash: string;
  readonly sessionToken: string | undefined;
}

/** docs/semantics.md 122, 246: access key id, date, region, service, terminal; the region is checked later. */
export function parseCredential(text: string, scheme: SignatureScheme, prefix: HeaderPrefix) {
  const malformed = (detail: string) => credentialMalformed(scheme, prefix, detail);
  const [accessKeyId, date, region, service, terminal, ...more] = text.split('/');
  if (
    !accessKeyId ||
    date === undefined ||
    !region ||
    service === undefined ||
    terminal === undefined ||
    more.length > 0
  ) {
    throw malformed(
      'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    );
  }
  if (terminal !== SCOPE_TERMINAL) {
    throw malformed(`incorrect terminal "${quotedPart(terminal)}". This endpoint uses "${SCOPE_TERMINAL}".`);
  }
  if (!isAccessPointService(service)) {
    throw malformed(`incorrect service "${quotedPart(service)}". This endpoint belongs to "${SERVICE}".`);
  }
  if (!/^\d{8}$/.test(date)) {
    throw malformed(
      `incorrect date format "${quotedPart(date)}". This date in the credential must be in the format "yyyyMMdd".`,
    );
  }
  return { accessKeyId, scope: { date, region, service } };
}

/** Refuses a credential whose day differs from that of the request (docs/semantics.md 247). */
export function checkDate(
  scope: Scope,
  timestamp: string,
  scheme: SignatureScheme,
  prefix: HeaderPrefix,
): void {
  const day = timestamp.slice(0, 8);
  if (scope.date !== day) throw credentialDateDiffers(scheme, prefix, scope.date, day);
}

/** Parses yyyyMMdd'T'HHmmss'Z' to milliseconds since the epoch; undefined when malformed or not a valid time. */
export function parseTimestamp(text: string): number | undefined {
  const match = /^(\d{4})([01]\d)([0-3]\d)T([01]\d|2[0-3])([0-5]\d)([0-5]\d)Z$/.exec(text);
  if (!match) return undefined;
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.map(Number);
  const epochMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const moment = new Date(epochMs);
  return moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day ? epochMs : undefined;
}

/** The names in SignedHeaders, in lower case, in the order given. */
export function splitNames(signedHeaders: string): readonly string[] {
  return signedHeaders.toLowerCase().split(';');
}
