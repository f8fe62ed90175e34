import { StoreError, type WholeReply } from '../../backend/store.ts';
import {
  ObjectChangedError,
  OverloadedError,
  RefusedByStoreError,
  WrongAnswerError,
} from '../fill/fill-error.ts';

/** An error as plain data, so that it keeps its meaning on the way to another thread. */
export type ToldError =
  | { readonly kind: 'store'; readonly code: StoreError['code']; readonly message: string }
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | { readonly kind: 'changed' | 'wrong'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | undefined }
  | { readonly kind: 'overloaded' };

export function tellError(error: unknown): ToldError {
  if (error instanceof StoreError) return { kind: 'store', code: error.code, message: error.message };
  if (error instanceof RefusedByStoreError) return { kind: 'refused', reply: error.reply };
  if (error instanceof OverloadedError) return { kind: 'overloaded' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ObjectChangedError) return { kind: 'changed', message };
  if (error instanceof WrongAnswerError) return { kind: 'wrong', message };
  return { kind: 'other', message, stack: error instanceof Error ? error.stack : undefined };
}

export function heardError(told: ToldError): Error {
  switch (told.kind) {
    case 'store':
      return new StoreError(told.code, told.message, undefined);
    case 'refused':
      return new RefusedByStoreError({ ...told.reply, body: Buffer.from(told.reply.body) });
    case 'overloaded':
      return new OverloadedError();
    case 'changed':
      return new ObjectChangedError(told.message);
    case 'wrong':
      return new WrongAnswerError(told.message);
    case 'other':
      return Object.assign(new Error(told.message), told.stack === undefined ? {} : { stack: told.stack });
  }
}
