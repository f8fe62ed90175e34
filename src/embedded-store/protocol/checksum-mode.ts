import { StoreError } from './store-error.ts';
import type { StoreRequest } from './store-request.ts';

/** Whether the answer shall carry checksums (behaviours.md 181 to 184). Throws InvalidRequest. */
export function wantsChecksum(request: StoreRequest): boolean {
  const mode = request.prefixed('checksum-mode');
  if (mode === undefined) return false;
  if (mode.toUpperCase() === 'ENABLED') return true;
  throw new StoreError('InvalidRequest', {
    message: `Value for ${request.prefix}checksum-mode header is invalid.`,
  });
}
