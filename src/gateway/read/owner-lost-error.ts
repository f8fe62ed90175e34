import { StoreError } from '../../backend/store.ts';

/** The worker that owns an object has died or stands still: until another has its place, others read the object themselves. */
export class OwnerLostError extends StoreError {
  constructor(what: string) {
    super('BUSY', `the worker that owns the object ${what}`, undefined);
  }
}
