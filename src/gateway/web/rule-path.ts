import { posix } from 'node:path';
import { percentDecode } from '../../s3/percent-decode.ts';

/**
 * The path that rules of a web origin are held against: many origins take `/%61`, `//a` and `/b/../a` for `/a`, so all of
 * these have the rules of `/a`. What names an answer in the cache is the path as it was sent.
 */
export function rulePath(path: string): string {
  return /%|\/[./]/.test(path) ? posix.normalize(decoded(path)) : path;
}

function decoded(path: string): string {
  try {
    return percentDecode(path);
  } catch {
    return path;
  }
}
