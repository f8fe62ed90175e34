import { aboutSignatures } from '../s3/store-refusal.ts';

/** An error document names its code in the first line or two. */
const SEARCHED_BYTES = 1_024;

const codeElement = /<Code>\s*(\w+)\s*<\/Code>/;

/** What a refusal says: the code where it is about the gateway's own keys or signature, or that it is about something else. */
export type RefusalVerdict =
  | { readonly kind: 'own-signature'; readonly code: string }
  | { readonly kind: 'other' };

/** Whether an answer with `status` may refuse the keys or the signature of its request. */
export function mayRefuseSignature(status: number): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** Finds out from the beginning of its body what a refusal is about. */
export class SignatureRefusal {
  #text = '';

  /** Undefined as long as it is not known. The memory of `chunk` is not kept. */
  arrived(chunk: Buffer): RefusalVerdict | undefined {
    this.#text += chunk.toString('latin1', 0, SEARCHED_BYTES - this.#text.length);
    const [, code] = codeElement.exec(this.#text) ?? [];
    if (code !== undefined)
      return aboutSignatures.has(code) ? { kind: 'own-signature', code } : { kind: 'other' };
    return this.#text.length >= SEARCHED_BYTES ? { kind: 'other' } : undefined;
  }
}
