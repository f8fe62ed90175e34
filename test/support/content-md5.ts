import { hash } from 'node:crypto';

/** The header that DeleteObjects is not taken without. */
export function contentMd5(body: string | Buffer): { readonly 'content-md5': string } {
  return { 'content-md5': hash('md5', body, 'base64') };
}
