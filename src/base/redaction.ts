const CENSOR = '[redacted]';

/** Header and field names whose values are secrets, wherever they stand in a line. */
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

/** A JSON string, as a value or an array's element. */
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;

/** `"name":"value"`, `"name":["a","b"]` and, as raw header lists have it, `"name","value"`. */
const fieldPattern = new RegExp(
  String.raw`("(?:${secretFields.join('|')})"\s*[:,]\s*)(?:${TEXT}|\[(?:\s*${TEXT}\s*,?)*\])`,
  'gi',
);

/** What makes a presigned URL or a webhook's URL usable, and keys that somebody put there: up to the parameter's end. */
const parameterPattern =
  /([?&](?:X-(?:Amz|Store)-(?:Signature|Security-Token|(?:Copy-Source-)?Server-Side-Encryption-Customer-Key(?:-MD5)?)|Signature|sig|token)=)[^&"'\s\\#<>]+/gi;

/** The signature inside an Authorization header that was quoted in running text. */
const signaturePattern = /(\bSignature=)[0-9a-f]{16,}/gi;

/**
 * Takes secrets out of log text (JSON lines): the values of `secretFields` at any depth, signatures in URLs
 * and headers, and `literals` (configured keys, tokens, webhook URLs) wherever they appear.
 * The lines stay valid JSON. Law 7 of the design rests on this: every line passes through it.
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

/** Matches each literal as it stands in JSON text; longer ones first, since one may begin another. */
function literalPattern(literals: readonly string[]): RegExp | undefined {
  const escaped = literals
    .filter(literal => literal.length > 0)
    .map(literal => JSON.stringify(literal).slice(1, -1))
    .sort((a, b) => b.length - a.length)
    .map(literal => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return escaped.length > 0 ? new RegExp(escaped.join('|'), 'g') : undefined;
}
