import { shownKeyOf } from './claimed-access-key.ts';
import { fullyDecoded } from './percent-decode.ts';

const HIDDEN = '[redacted]';

/** The configured limit of URLs may be higher. */
const MAX_LENGTH = 16 * 1024;

/**
 * Names, in lower case, of parameters whose values allow a request, or are keys or codes provided by users. All tokens do, save those
 * of listings, which say where to go on.
 */
const secretName =
  /signature|security-token|customer-key|secret|password|passwd|credential|access[-_]?key|authorization|^x-(?:amz|store)-mfa$|(?<!continuation[-_]?)token$|^sig$/;

/**
 * The same within a value or a path, where a whole URL or its question mark was percent-encoded. Some frameworks take `;` for
 * `&`.
 */
const secretInside =
  /(?:signature|security-token|customer-key(?:-md5)?|x-(?:amz|store)-mfa|credential|access[-_]?key(?:[-_]?id)?|(?:^|[?&;])(?:[\w.-]*(?<!continuation[-_]?)token|[\w.-]*(?:secret|password|passwd)|sig|authorization))[+\s\0]*=/i;

/**
 * Removes secrets from a request target for logging: secret parameter values, however their names are encoded, and the
 * user of an absolute target (RFC 9110 §4.2.4). The rest stays as received, up to `MAX_LENGTH` characters.
 */
export function loggedUrl(url: string): string {
  // fast path: nearly all targets are paths without a query
  const shown = /[?&%=@]/.test(url) ? redacted(url) : url;
  // cut afterwards: the beginning of a secret may not look like one
  return shown.slice(0, MAX_LENGTH);
}

function redacted(url: string): string {
  const target = url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`);
  const mark = target.indexOf('?');
  const path = withoutSecrets(mark < 0 ? target : target.slice(0, mark));
  return mark < 0
    ? path
    : `${path}?${target
        .slice(mark + 1)
        .split('&')
        .map(loggedParameter)
        .join('&')}`;
}

function loggedParameter(raw: string): string {
  const equals = raw.indexOf('=');
  if (equals < 0) return withoutSecrets(raw);
  const name = raw.slice(0, equals);
  const plainName = fullyDecoded(name).toLowerCase();
  const value = raw.slice(equals + 1);
  if (!secretName.test(plainName)) return `${name}=${withoutSecrets(value)}`;
  // access key ids are not secret and identify the caller
  const plainValue = fullyDecoded(value);
  if (shownKeyOf(plainName, plainValue) === undefined) return `${withoutSecrets(name)}=${HIDDEN}`;
  // not as received: the log finds configured secrets by their plain text
  return `${name}=${value.includes('/') ? plainValue : plainValue.replaceAll('/', '%2F')}`;
}

/** Returns `text`, or nothing if it contains a secret parameter under another level of encoding. */
function withoutSecrets(text: string): string {
  return secretInside.test(fullyDecoded(text)) ? HIDDEN : text;
}
