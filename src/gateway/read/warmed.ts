import { errorCode } from '../../base/error-code.ts';
import type { Content } from '../../cache/content.ts';

/** What became of what was to be fetched before somebody asks for it. */
export type Warmed =
  | { readonly kind: 'warmed' | 'held'; readonly bytes: number }
  /**
   * It is not kept: too large, without a strong entity tag, or directives or rules forbid it.
   *
   * @param reason a token; told of answers of web origins
   */
  | { readonly kind: 'uncached'; readonly reason?: string }
  /** @param code of the error, where a store has told one: a word */
  | { readonly kind: 'refused'; readonly status: number; readonly code?: string }
  | FailedToWarm;

/** @param code of the error, such as `CIRCUIT_OPEN` */
interface FailedToWarm {
  readonly kind: 'failed';
  readonly code: string;
}

/** There is no answer because of `error`. */
export function failedWith(error: unknown): FailedToWarm {
  return { kind: 'failed', code: errorCode(error) ?? 'UNKNOWN' };
}

/**
 * Has all of `content` read into the cache.
 *
 * @param gone aborted when nobody wants it any more
 * @throws the reason of `gone`; what reading the content throws
 */
export async function readThrough(content: Content, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  const reader = content.open(0, content.sizeBytes);
  let isOpen = true;
  const close = () => {
    if (isOpen) reader.close();
    isOpen = false;
  };
  // closed before bytes are lent that nobody would give back
  const left = new Promise<undefined>(resolve =>
    gone.addEventListener('abort', () => {
      close();
      resolve(undefined);
    }),
  );
  const next = () => Promise.race([reader.next(), left]);
  try {
    for (let loan = await next(); loan; loan = await next()) loan.release();
    gone.throwIfAborted();
  } finally {
    close();
  }
}
