import { parseRange } from '../../http/range.ts';

/**
 * Stands among the names of what a stored part varies by: a part that is never combined answers requests for the very same range
 * alone. No field is called so, and no client is told of it.
 */
export const ASKED_RANGE = ':range';

interface Asking {
  readonly method: string;
  readonly fields: { readonly range: string | undefined; readonly ifRange: string | undefined };
}

/**
 * The one byte range that a request asks for, in one spelling. Undefined for one that no stored part answers: whoever sends
 * If-Range wants the whole of another content, and HEAD has no ranges (RFC 9110 §13.1.5, §14.2).
 */
export function askedRange({ method, fields }: Asking): string | undefined {
  if (method !== 'GET' || fields.ifRange !== undefined) return undefined;
  const range = parseRange(fields.range);
  if (range.kind === 'absent') return undefined;
  return range.kind === 'suffix' ? `bytes=-${range.length}` : `bytes=${range.first}-${range.last ?? ''}`;
}

/** Whether a stored answer is a part, whose bytes are no whole content: under a strong tag parts are stored as a whole. */
export function isPart({ answer }: { readonly answer?: { readonly status: number } }): boolean {
  return answer?.status === 206;
}

/** What an answer varies by, whichever range of it is asked for. */
export function withoutRange(names: readonly string[]): readonly string[] {
  return names.filter(name => name !== ASKED_RANGE);
}
