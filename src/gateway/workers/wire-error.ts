import { StoreError, type WholeReply } from '../../backend/store.ts';
import type { ErrorCodec } from '../../base/rpc-error.ts';
import {
  InvalidReplyError,
  NotCachedError,
  ObjectChangedError,
  OverloadedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../fill/fill-error.ts';

/** An error as plain data, which can be posted to another thread without losing its class. */
export type WireError =
  | {
      readonly kind: 'store';
      readonly code: StoreError['code'];
      readonly message: string;
      readonly reason: string;
    }
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | { readonly kind: 'changed' | 'wrong' | 'lost'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | undefined }
  | { readonly kind: 'overloaded' | 'not cached' };

/** Errors between workers keep the classes that readers tell apart. */
export const wireErrors: ErrorCodec = {
  encode: encodeError,
  decode: data => decodeError(data as WireError),
};

export function encodeError(error: unknown): WireError {
  if (error instanceof OwnerLostError) return { kind: 'lost', message: error.message };
  if (error instanceof StoreError) {
    const { code, message, reason } = error;
    return { kind: 'store', code, message, reason };
  }
  if (error instanceof RefusedByStoreError) return { kind: 'refused', reply: error.reply };
  if (error instanceof OverloadedError) return { kind: 'overloaded' };
  if (error instanceof NotCachedError) return { kind: 'not cached' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ObjectChangedError) return { kind: 'changed', message };
  if (error instanceof InvalidReplyError) return { kind: 'wrong', message };
  return { kind: 'other', message, stack: error instanceof Error ? error.stack : undefined };
}

export function decodeError(wire: WireError): Error {
  switch (wire.kind) {
    case 'store':
      return new StoreError(wire.code, wire.message, undefined, wire.reason);
    case 'refused':
      return new RefusedByStoreError({ ...wire.reply, body: Buffer.from(wire.reply.body) });
    case 'overloaded':
      return new OverloadedError();
    case 'not cached':
      return new NotCachedError();
    case 'changed':
      return withMessage(new ObjectChangedError(''), wire.message);
    case 'wrong':
      return withMessage(new InvalidReplyError(''), wire.message);
    case 'lost':
      return withMessage(new OwnerLostError(''), wire.message);
    case 'other':
      return Object.assign(new Error(wire.message), wire.stack === undefined ? {} : { stack: wire.stack });
  }
}

/** The message was composed where the error was made: the constructor would put its words before it again. */
function withMessage(error: Error, message: string): Error {
  error.message = message;
  return error;
}
