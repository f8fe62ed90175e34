import type { Steps } from '../../base/sliced-work.ts';

/** A store's list is not one of its protocol, or is too large. */
export class InvalidListError extends Error {
  readonly code = 'INVALID_LIST';

  constructor(what: string) {
    super(`the store's list cannot be read: ${what}`);
  }
}

/** Pieces that are copied in one step. */
const PIECES_PER_STEP = 100;

/** Joins the pieces of a document. */
export function* joined(pieces: readonly Buffer[]): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    whole.set(piece, at);
    at += piece.length;
    if (index % PIECES_PER_STEP === 0) yield;
  }
  return whole;
}

/** A name as a list contains it. @param isEncoded whether names are percent-encoded (`encoding-type=url`) */
export function encodeName(name: string, isEncoded: boolean): string {
  return isEncoded ? encodeURIComponent(name).replaceAll('%2F', '/') : name;
}

/** The opposite of `encodeName`. @throws InvalidListError */
export function decodeName(text: string, isEncoded: boolean): string {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidListError('a name has an invalid percent-encoding');
  }
}
