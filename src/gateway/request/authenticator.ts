import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import { verifyForm } from '../../s3/post-signature.ts';
import { type ClientSecrets, SigningKeys } from '../../s3/sigv4-keys.ts';
import { requireNoPayload } from '../../s3/sigv4-payload.ts';
import { SigV4Verifier } from '../../s3/sigv4-verify.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import { anonymous, type Caller } from './access.ts';

/** A client whose signatures the gateway verifies. */
interface KnownClient extends ClientSecrets {
  readonly accessKeyId: string;
}

/** Told of each request that was signed with the previous secret of its access key, and of its client's address. */
type OnPreviousSecret = (accessKeyId: string, client: string | undefined) => void;

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
 * @param request that brings the form
 * @throws S3Error for an invalid signature
 */
export type AuthenticateForm = (
  fields: ReadonlyMap<string, string>,
  region: string,
  request: IncomingMessage,
) => Caller;

/** Creates the authenticator of forms for `clients`. */
export function createFormAuthenticator(
  clients: readonly KnownClient[],
  clock: Clock,
  onPreviousSecret?: OnPreviousSecret,
): AuthenticateForm {
  const known = new Map(clients.map(client => [client.accessKeyId, client]));
  const verifier = { findClient: (id: string) => known.get(id), clock, keys: new SigningKeys() };
  return (fields, region, request) => {
    const signer = verifyForm(fields, region, verifier);
    if (signer === undefined) return anonymous;
    const { accessKeyId, secretAccessKey } = signer;
    if (secretAccessKey === known.get(accessKeyId)?.previousSecretAccessKey)
      onPreviousSecret?.(accessKeyId, clientAddressOf(request));
    return { kind: 'client', accessKeyId, payload: { kind: 'unsigned' } };
  };
}

const hasNoPayload: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** Creates the authenticator for `clients`. A read or a deletion whose signature covers a body is refused. */
export function createAuthenticator(
  clients: readonly KnownClient[],
  clock: Clock,
  onPreviousSecret?: OnPreviousSecret,
): Authenticate {
  const known = new Map(clients.map(client => [client.accessKeyId, client]));
  const verifier = new SigV4Verifier({
    findClient: accessKeyId => known.get(accessKeyId),
    clock,
    keys: new SigningKeys(),
  });
  return (request, region) => {
    const { method = 'GET', url = '/', rawHeaders } = request;
    const caller = verifier.verify({ method, url, rawHeaders }, region);
    if (caller.kind === 'anonymous') return anonymous;
    const { accessKeyId, payload, client } = caller;
    if (caller.secretAccessKey === client.previousSecretAccessKey)
      onPreviousSecret?.(accessKeyId, clientAddressOf(request));
    if (hasNoPayload.has(method)) requireNoPayload(payload, caller.headerPrefix);
    return { kind: 'client', accessKeyId, payload };
  };
}
