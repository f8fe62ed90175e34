const HIDDEN = '[redacted]';

/** Names of parameters whose values make a request possible, or are keys that somebody put there; in lower case. */
const secretName =
  /signature|security-token|customer-key|secret|password|passwd|credentials?$|authorization|^(?:access[-_]?|id[-_]?|auth[-_]?)?token$|^sig$/;

/** The same inside of a value or a path, where somebody encoded a whole URL or its question mark. */
const secretInside =
  /(?:signature|security-token|customer-key(?:-md5)?|[?&](?:sig|token|access_token|secret|password))=/i;

const ENCODINGS = 3;

/**
 * A request target as it may be logged: without what its parameters keep secret, however their names are encoded, and
 * without the user of an absolute one (RFC 9110 §4.2.4). The rest is as it was received.
 */
export function loggedUrl(url: string): string {
  // nearly all targets are paths without a query
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
  const plainName = plain(name).toLowerCase();
  // ids of keys are no secrets, and tell who called
  const isSecret = secretName.test(plainName) && !/^x-(?:amz|store)-credential$/.test(plainName);
  return isSecret ? `${withoutSecrets(name)}=${HIDDEN}` : `${name}=${withoutSecrets(raw.slice(equals + 1))}`;
}

/** `text`, or nothing of it where a secret parameter stands in it under one more encoding. */
function withoutSecrets(text: string): string {
  return secretInside.test(plain(text)) ? HIDDEN : text;
}

/** All that somebody may read in a text: escapes undone until there are none, bytes that are no UTF-8 left as they are. */
function plain(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < ENCODINGS && decoded.includes('%'); pass++)
    decoded = decoded.replace(/%([\da-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return decoded;
}
