import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { verifyForm } from '../../s3/post-signature.ts';
import { SigningKeys } from '../../s3/sigv4-keys.ts';
import { requireNoPayload } from '../../s3/sigv4-payload.ts';
import { SigV4Verifier } from '../../s3/sigv4-verify.ts';
import { anonymous, type Caller } from './access.ts';

/** A client whose signatures the gateway verifies. */
interface KnownClient {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Identifies the caller of a request.
 *
 * @param region of the addressed bucket, which the signature must be for; undefined, if no configured bucket is
 * addressed, accepts any
 * @throws S3Error for an invalid signature (docs/semantics.md 122 and its sections 10 and 12)
 */
export type Authenticate = (request: IncomingMessage, region: string | undefined) => Caller;

/**
 * Identifies who has signed a form (docs/semantics.md, Authentication).
 *
 * @param fields by lower-case name
 * @param region of the bucket, which the signature must be for
 * @throws S3Error for an invalid signature
 */
export type AuthenticateForm = (fields: ReadonlyMap<string, string>, region: string) => Caller;

/** Creates the authenticator of forms for `clients`. */
export function createFormAuthenticator(clients: readonly KnownClient[], clock: Clock): AuthenticateForm {
  const known = new Map(clients.map(client => [client.accessKeyId, client]));
  const verifier = { findClient: (id: string) => known.get(id), clock, keys: new SigningKeys() };
  return (fields, region) => {
    const accessKeyId = verifyForm(fields, region, verifier);
    if (accessKeyId === undefined) return anonymous;
    return { kind: 'client', accessKeyId, payload: { kind: 'unsigned' } };
  };
}

const hasNoPayload: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** Creates the authenticator for `clients`. A read or a deletion whose signature covers a body is refused. */
export function createAuthenticator(clients: readonly KnownClient[], clock: Clock): Authenticate {
  const known = new Map(clients.map(client => [client.accessKeyId, client]));
  const verifier = new SigV4Verifier({
    findClient: accessKeyId => known.get(accessKeyId),
    clock,
    keys: new SigningKeys(),
  });
  return ({ method = 'GET', url = '/', rawHeaders }, region) => {
    const caller = verifier.verify({ method, url, rawHeaders }, region);
    if (caller.kind === 'anonymous') return anonymous;
    const { accessKeyId, payload } = caller;
    if (hasNoPayload.has(method)) requireNoPayload(payload, caller.headerPrefix);
    return { kind: 'client', accessKeyId, payload };
  };
}
