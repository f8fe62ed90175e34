import { StoreError } from '../../backend/store.ts';

/**
 * The worker that owns the object has died or is blocked. Other workers read the object themselves until it is
 * replaced.
 */
export class OwnerLostError extends StoreError {
  constructor(what: string) {
    super('BUSY', `the worker that owns the object ${what}`, undefined);
  }
}
