import type { Clock } from '../../base/clock.ts';
import { S3Error } from '../../s3/error.ts';
import { SigningKeys } from '../../s3/sigv4-keys.ts';
import { requireNoPayload } from '../../s3/sigv4-payload.ts';
import { SigV4Verifier } from '../../s3/sigv4-verify.ts';
import type { ChunkSignatures } from '../protocol/aws-chunked.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { OperationRequest } from '../protocol/operation-request.ts';
import type { Account, StoreCaller } from './caller.ts';
import { chunkSignatures } from './chunk-signatures.ts';

/** Who sent a request, and how to verify what it signs besides its headers. */
interface Identity {
  readonly caller: StoreCaller;
  readonly signatures?: ChunkSignatures | undefined;
}

/** @throws the error for an invalid signature; a request without one is anonymous */
export type Identify = (request: OperationRequest) => Identity;

interface AuthenticatorOptions {
  readonly accounts: readonly Account[];
  readonly region: string;
  readonly clock: Clock;
}

/** Credentials are always verified when present (docs/semantics.md 267). */
export function createIdentify({ accounts, region, clock }: AuthenticatorOptions): Identify {
  const known = new Map(accounts.map(account => [account.accessKeyId, account]));
  const findClient = (accessKeyId: string) => known.get(accessKeyId);
  const verifier = new SigV4Verifier({ findClient, clock, keys: new SigningKeys() });
  return request => {
    try {
      return identify(request, verifier, region);
    } catch (error) {
      throw error instanceof S3Error ? asStoreError(error) : error;
    }
  };
}

function identify(request: OperationRequest, verifier: SigV4Verifier<Account>, region: string): Identity {
  const { url = '/', rawHeaders } = request.message;
  const signed = verifier.verify({ method: request.method, url, rawHeaders }, region);
  if (signed.kind === 'anonymous') return { caller: signed };
  const { client, payload } = signed;
  if (request.method === 'GET' || request.method === 'HEAD') requireNoPayload(payload, signed.headerPrefix);
  const caller = { kind: 'account' as const, account: client };
  const isSignedStream = payload.kind === 'stream' && !payload.name.startsWith('STREAMING-UNSIGNED');
  return { caller, ...(isSignedStream && { signatures: chunkSignatures(payload.signing) }) };
}

function asStoreError(cause: S3Error): OperationError {
  const { code, message, fields, headers } = cause;
  return new OperationError(code, {
    message,
    fields: Object.fromEntries(fields),
    headers: Object.fromEntries(headers),
    cause,
  });
}
