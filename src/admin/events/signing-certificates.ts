import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { AdminError } from '../admin-route.ts';
import { notSigned } from './topic-message.ts';

interface CertificateParts {
  /** Fetches a certificate as PEM. Rejects where there is none, and for one that is too long or too late. */
  readonly fetch: (url: string) => Promise<string>;
  readonly clock: Clock;
}

/** A region signs with one certificate, and with the next one for a while. */
const MAX_HELD = 32;

/** Addresses without a certificate that is good for anything. */
const MAX_FAILED = 64;

/** For so long they are not asked again; shorter than topics wait before they send again (20 s). */
const FAILED_FOR_MS = 10_000;

/** Strangers can make up addresses, so few are asked at a time. */
const MAX_FETCHES = 4;

/** Shorter keys are no proof; longer ones than 8192 bits would take long to try. */
const KEY_BITS = { min: 2_048, max: 8_192 };

/** As regions have it: `sns.amazonaws.com`, `sns-cn-north-1.amazonaws.com.cn`, `sns-signing.af-south-1.amazonaws.com`. */
const SIGNER = /^sns(?:-signing)?(?:[.-][a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?$/;

interface Failure {
  readonly error: AdminError;
  readonly untilMs: number;
}

/**
 * The certificates of topics, by their addresses, which the caller has checked: they are the service's own, and the connection to it
 * proves that they are, since a certificate comes without those between it and an authority.
 */
export class SigningCertificates {
  readonly #parts: CertificateParts;
  readonly #held = new Map<string, X509Certificate>();
  readonly #failed = new Map<string, Failure>();
  readonly #fetches = new Map<string, Promise<X509Certificate>>();

  constructor(parts: CertificateParts) {
    this.#parts = parts;
  }

  /** @throws AdminError 403 for a certificate that proves nothing, 503 where there is none yet: the topic sends again then */
  async keyAt(url: string): Promise<KeyObject> {
    const certificate = this.#held.get(url) ?? (await this.#fetched(url));
    requireValid(certificate, this.#parts.clock.nowMs());
    return certificate.publicKey;
  }

  #fetched(url: string): Promise<X509Certificate> {
    const failure = this.#failed.get(url);
    if (failure && failure.untilMs > this.#parts.clock.monotonicMs()) throw failure.error;
    const running = this.#fetches.get(url);
    if (running) return running;
    if (this.#fetches.size >= MAX_FETCHES) throw unavailable('too many are being fetched');
    const fetch = this.#fetch(url).finally(() => this.#fetches.delete(url));
    this.#fetches.set(url, fetch);
    return fetch;
  }

  async #fetch(url: string): Promise<X509Certificate> {
    const { fetch, clock } = this.#parts;
    try {
      const certificate = parsed(await fetch(url));
      this.#failed.delete(url);
      put(this.#held, url, certificate, MAX_HELD);
      return certificate;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const told = error instanceof AdminError ? error : unavailable(why);
      put(this.#failed, url, { error: told, untilMs: clock.monotonicMs() + FAILED_FOR_MS }, MAX_FAILED);
      throw told;
    }
  }
}

function put<Value>(map: Map<string, Value>, url: string, value: Value, max: number): void {
  map.delete(url);
  map.set(url, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}

function unavailable(why: string): AdminError {
  const reason = `the certificate of the topic cannot be fetched: ${why}`;
  return new AdminError(503, 'NO_CERTIFICATE', reason, { 'retry-after': '10' });
}

function parsed(pem: string): X509Certificate {
  const certificate = x509(pem);
  const names = certificate.subject.split('\n').filter(part => part.startsWith('CN='));
  if (names.length !== 1 || !SIGNER.test(names[0]?.slice('CN='.length) ?? ''))
    throw notSigned('its certificate is for another name');
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (asymmetricKeyType !== 'rsa' || bits < KEY_BITS.min || bits > KEY_BITS.max)
    throw notSigned('its certificate has no RSA key of 2048 to 8192 bits');
  return certificate;
}

function x509(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw notSigned('its certificate cannot be read');
  }
}

/** Looked at for each message: a certificate that is held may end. */
function requireValid({ validFromDate, validToDate }: X509Certificate, nowMs: number): void {
  if (nowMs < validFromDate.getTime()) throw notSigned('its certificate is not valid yet');
  if (nowMs > validToDate.getTime()) throw notSigned('its certificate has expired');
}
