import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import type { Clock } from '../../base/clock.ts';

const KEY_ID = 'local-channel';
const LIFETIME_S = 300;

interface LocalIssuerOptions {
  /** The base URL of the callbacks, used as `aud` (docs/cards.md §2, Token). */
  readonly audience: string;
  readonly issuer: string;
  readonly appId: string;
  /** The directory identity of the person who uses the page. */
  readonly subject: string;
  readonly clock: Clock;
}

/** Issues the bearer tokens that the real service would get from its directory. */
export interface LocalIssuer extends Omit<LocalIssuerOptions, 'clock'> {
  /** The public keys for verification. */
  readonly keys: JSONWebKeySet;
  /** A new token, valid for five minutes. */
  mint(): Promise<string>;
}

/** Creates an issuer with a new key pair that never leaves the process. */
export async function createLocalIssuer({ clock, ...identity }: LocalIssuerOptions): Promise<LocalIssuer> {
  const { audience, issuer, appId, subject } = identity;
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048 });
  const key = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' };
  return {
    ...identity,
    keys: { keys: [key] },
    mint() {
      const nowS = Math.floor(clock.nowMs() / 1_000);
      return new SignJWT({ appid: appId })
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(nowS)
        .setExpirationTime(nowS + LIFETIME_S)
        .sign(privateKey);
    },
  };
}
