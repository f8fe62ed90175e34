const HIDDEN = '[redacted]';

/** Names, in lower case, of parameters whose values allow a request or are keys provided by users. */
const secretName =
  /signature|security-token|customer-key|secret|password|passwd|credentials?$|authorization|^(?:access[-_]?|id[-_]?|auth[-_]?)?token$|^sig$/;

/** The same within a value or a path, where a whole URL or its question mark was percent-encoded. */
const secretInside =
  /(?:signature|security-token|customer-key(?:-md5)?|[?&](?:sig|token|access_token|secret|password))=/i;

const ENCODINGS = 3;

/**
 * Removes secrets from a request target for logging: secret parameter values, however their names are encoded, and the
 * user of an absolute target (RFC 9110 §4.2.4). The rest stays as received.
 */
export function loggedUrl(url: string): string {
  // fast path: nearly all targets are paths without a query
  if (url.startsWith('/') && !/[?&%=]/.test(url)) return url;
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
  // access key ids are not secret and identify the caller
  const isSecret = secretName.test(plainName) && !/^x-(?:amz|store)-credential$/.test(plainName);
  return isSecret ? `${withoutSecrets(name)}=${HIDDEN}` : `${name}=${withoutSecrets(raw.slice(equals + 1))}`;
}

/** Returns `text`, or nothing if it contains a secret parameter under another level of encoding. */
function withoutSecrets(text: string): string {
  return secretInside.test(fullyDecoded(text)) ? HIDDEN : text;
}

/** Removes up to `ENCODINGS` levels of percent-encoding; bytes that are not UTF-8 stay as they are. */
function fullyDecoded(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < ENCODINGS && decoded.includes('%'); pass++)
    decoded = decoded.replace(/%([\da-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return decoded;
}
