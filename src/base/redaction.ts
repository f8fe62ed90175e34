const CENSOR = '[redacted]';

/** Names of headers and fields whose values are secret, wherever they occur in a line. */
const secretFields = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-(?:amz|store)-security-token',
  'x-(?:amz|store)-(?:copy-source-)?server-side-encryption-customer-key(?:-md5)?',
  'secretAccessKey',
  'sessionToken',
  'webhookUrl',
  'token',
];

/** A JSON string. */
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;

/** Matches `"name":"value"`, `"name":["a","b"]` and, in raw header lists, `"name","value"`. */
const fieldPattern = new RegExp(
  String.raw`("(?:${secretFields.join('|')})"\s*[:,]\s*)(?:${TEXT}|\[(?:\s*${TEXT}\s*,?)*\])`,
  'gi',
);

/**
 * Matches the secret parameters of presigned and webhook URLs, and customer keys put in a query, up to the end of the
 * parameter.
 */
const parameterPattern =
  /([?&](?:X-(?:Amz|Store)-(?:Signature|Security-Token|(?:Copy-Source-)?Server-Side-Encryption-Customer-Key(?:-MD5)?)|Signature|sig|token)=)[^&"'\s\\#<>]+/gi;

/** Matches the signature of an Authorization header quoted in text. */
const signaturePattern = /(\bSignature=)[0-9a-f]{16,}/gi;

/**
 * Creates a function that removes secrets from log text (JSON lines): the values of `secretFields` at any depth,
 * signatures in URLs and headers, and `literals` (configured keys, tokens, webhook URLs) anywhere. The lines stay valid
 * JSON. Every log line passes through it (docs/architecture.md, law 7).
 */
export function createRedactor(literals: readonly string[]): (text: string) => string {
  const literal = literalPattern(literals);
  return text => {
    const masked = text
      .replace(fieldPattern, `$1"${CENSOR}"`)
      .replace(parameterPattern, `$1${CENSOR}`)
      .replace(signaturePattern, `$1${CENSOR}`);
    return literal ? masked.replace(literal, CENSOR) : masked;
  };
}

/** Matches each literal as it is escaped in JSON; longer ones first, because one may be a prefix of another. */
function literalPattern(literals: readonly string[]): RegExp | undefined {
  const escaped = literals
    .filter(literal => literal.length > 0)
    .map(literal => JSON.stringify(literal).slice(1, -1))
    .sort((a, b) => b.length - a.length)
    .map(literal => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return escaped.length > 0 ? new RegExp(escaped.join('|'), 'g') : undefined;
}
