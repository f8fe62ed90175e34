import { SecretFinder } from './secret-finder.ts';

const CENSOR = '[redacted]';

/** Shorter secrets may be words: taken out of all lines they would make these unreadable, and would show what they are. */
export const LEAST_SECRET = 8;

/** Names of headers and fields whose values are secret, wherever they occur in a line. */
const secretFields = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-(?:amz|store)-(?:security|s3session)-token',
  'x-(?:amz|store)-mfa',
  'x-(?:amz|store)-(?:copy-source-)?server-side-encryption-customer-key(?:-md5)?',
  'secretAccessKey',
  'sessionToken',
  'webhookUrl',
  'token',
];

/** A JSON string. */
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;

/**
 * Matches `"name":"value"`, `"name":["a","b"]` and, in raw header lists, `"name","value"`. No character of a list can be matched
 * in two ways: else the time would double with each item of one that does not end.
 */
const fieldPattern = new RegExp(
  String.raw`("(?:${secretFields.join('|')})"\s*[:,]\s*)(?:${TEXT}|\[\s*(?:${TEXT}\s*(?:,\s*)?)*\])`,
  'gi',
);

/**
 * Matches the secret parameters of presigned and webhook URLs, and customer keys put in a query, up to the end of the
 * parameter.
 */
const parameterPattern =
  /([?&](?:X-(?:Amz|Store)-(?:Signature|(?:Security|S3session)-Token|MFA|(?:Copy-Source-)?Server-Side-Encryption-Customer-Key(?:-MD5)?)|Signature|sig|token)=)[^&"'\s\\#<>]+/gi;

/** Matches the signature of an Authorization header quoted in text. */
const signaturePattern = /(\bSignature=)[0-9a-f]{16,}/gi;

/**
 * Creates a function that removes secrets from log text (JSON lines): the values of `secretFields` at any depth,
 * signatures in URLs and headers, and `literals` (configured keys, tokens, webhook URLs) of at least `LEAST_SECRET`
 * characters in all texts. The lines stay valid JSON: numbers and the program's own names of fields are no secrets. Every
 * log line passes through it (docs/architecture.md, law 7).
 */
export function createRedactor(literals: readonly string[]): (text: string) => string {
  const finder = new SecretFinder(literals.filter(literal => literal.length >= LEAST_SECRET));
  return text => {
    // short texts from clients, which are looked through often, have neither of these
    const fields = text.includes('"') ? text.replace(fieldPattern, `$1"${CENSOR}"`) : text;
    const masked = fields.includes('=')
      ? fields.replace(parameterPattern, `$1${CENSOR}`).replace(signaturePattern, `$1${CENSOR}`)
      : fields;
    return finder.replace(masked, CENSOR);
  };
}

/** `text`, which is no JSON, without what `redact` removes: it looks for secrets in JSON, where quotes of clients are escaped. */
export function withoutSecrets(text: string, redact: (json: string) => string): string {
  const json = JSON.stringify(text);
  const shown = redact(json);
  return shown === json ? text : JSON.parse(shown);
}

/** How many sets of secrets under one name are removed: lines may come that were written before the newest. */
const REMEMBERED_SETS = 3;

/** A redactor whose literals change while the process runs. */
export class GrowingRedactor {
  readonly #literals = new Set<string>();
  readonly #changing = new Map<string, readonly (readonly string[])[]>();
  #redact = createRedactor([]);

  /** `literals` are removed from now on. Those learned before still are: old secrets may be in lines to come. */
  learn(literals: readonly string[]): void {
    for (const literal of literals) this.#literals.add(literal);
    this.#update();
  }

  /** Secrets that are replaced again and again: those under `name` now, and shortly before, are removed. */
  replace(name: string, secrets: readonly string[]): void {
    const before = this.#changing.get(name) ?? [];
    this.#changing.set(name, [secrets, ...before].slice(0, REMEMBERED_SETS));
    this.#update();
  }

  readonly redact = (text: string): string => this.#redact(text);

  /** Removes what is known now; another function once something else is known. */
  get current(): (text: string) => string {
    return this.#redact;
  }

  #update(): void {
    this.#redact = createRedactor([...this.#literals, ...Array.from(this.#changing.values()).flat(2)]);
  }
}
