import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { lengthPrefixed } from '../base/length-prefixed.ts';
import { SCOPE_TERMINAL, type Scope } from './sigv4-canonical.ts';

/** Credentials for signing. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials only. */
  readonly sessionToken?: string | undefined;
}

/** What a client may sign with. */
export interface ClientSecrets {
  readonly secretAccessKey: string;
  /** The one before, which holds as well until every signer has the new one. */
  readonly previousSecretAccessKey?: string | undefined;
}

/** The secret of a client by which `isSigned`, the current one first; undefined where none is. */
export function signingSecret(
  { secretAccessKey, previousSecretAccessKey: previous }: ClientSecrets,
  isSigned: (secret: string) => boolean,
): string | undefined {
  if (isSigned(secretAccessKey)) return secretAccessKey;
  return previous !== undefined && isSigned(previous) ? previous : undefined;
}

/** Deriving a key takes four rounds of HMAC and signing takes one, so the keys of a day are cached. */
const MAX_KEYS = 1024;

/** Clients choose the region when that of the bucket is unknown, so the total length of the cached names is limited. */
const MAX_NAMES_LENGTH = 256 * 1024;

/** Signs strings, with a cache of signing keys for recent scopes. A changed secret takes effect at once. */
export class SigningKeys {
  readonly #keys = new LRUCache<string, KeyObject>({
    max: MAX_KEYS,
    maxSize: MAX_NAMES_LENGTH,
    sizeCalculation: (_key, name) => name.length,
  });

  /** The signature, 64 lower-case hexadecimal digits. */
  sign(credentials: Credentials, scope: Scope, text: string): string {
    return createHmac('sha256', this.keyFor(credentials, scope)).update(text, 'latin1').digest('hex');
  }

  /** The signing key of a scope, for verifying the chunks of a signed stream. */
  keyFor({ accessKeyId, secretAccessKey }: Credentials, { date, region, service }: Scope): KeyObject {
    // one access key may have two secrets at a time: the name has whatever the key is made of
    const name = [date, region, service, accessKeyId, secretAccessKey].map(lengthPrefixed).join('');
    const known = this.#keys.get(name);
    if (known) return known;
    const key = deriveKey(secretAccessKey, { date, region, service });
    this.#keys.set(name, key);
    return key;
  }
}

function deriveKey(secretAccessKey: string, { date, region, service }: Scope): KeyObject {
  const ofDay = hmac(`AWS4${secretAccessKey}`, date);
  return createSecretKey(hmac(hmac(hmac(ofDay, region), service), SCOPE_TERMINAL));
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
