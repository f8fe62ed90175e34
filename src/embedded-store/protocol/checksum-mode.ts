import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** Whether the response should include checksums (docs/semantics.md 181 to 184). @throws InvalidRequest */
export function wantsChecksum(request: OperationRequest): boolean {
  const mode = request.prefixed('checksum-mode');
  if (mode === undefined) return false;
  if (mode.toUpperCase() === 'ENABLED') return true;
  throw new OperationError('InvalidRequest', {
    message: `Value for ${request.prefix}checksum-mode header is invalid.`,
  });
}
