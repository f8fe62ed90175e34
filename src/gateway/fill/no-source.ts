import { NOBODY_ASKED, StoreError } from '../../backend/store.ts';
import type { RangeReceiver, RangeSource } from './ranged-read.ts';

const nothing: ReturnType<RangeSource['send']> = {
  pause: () => {},
  resume: () => {},
  took: () => {},
  abort: () => {},
};

/** Ends a transfer of bytes that can be asked for nowhere: those of a content that is of no use in part. */
export function cannotBeSent(receiver: Pick<RangeReceiver, 'failed'>): typeof nothing {
  queueMicrotask(() =>
    receiver.failed(
      new StoreError('INVALID', 'the answer cannot be asked for in part', undefined, NOBODY_ASKED),
    ),
  );
  return nothing;
}

/** The source of a content that was made here: what was evicted of it is gone. */
export const nowhere: RangeSource = {
  backend: '',
  isByVersion: true,
  mayRetry: () => false,
  send: (_from, _to, receiver) => cannotBeSent(receiver),
};
