import { posix } from 'node:path';
import { percentDecode } from '../../s3/percent-decode.ts';

/**
 * What a path may mean to an origin, for the rules of its bucket; the first is what most take it for. Many take `/%61`, `//a`
 * and `/b/../a` for `/a`; some do not decode `%2F`, or take `/a;x` for `/a`, or `\\` for `/`. What names an answer in the cache is
 * the path as it was sent.
 */
export function rulePaths(path: string): readonly string[] {
  if (!/[%;\\]|\/[./]/.test(path)) return [path];
  const spellings = [decoded(path), decoded(path.replace(/%(2f|5c)/gi, '%25$1'))];
  const readings = spellings.flatMap(text => [text, withoutParameters(text)]);
  return [...new Set(readings.map(text => posix.normalize(text.replaceAll('\\', '/'))))];
}

/** What is no escape, or no UTF-8, stays as it is. */
function decoded(path: string): string {
  try {
    return percentDecode(path);
  } catch {
    return path.replace(/%([0-7][\da-f])/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  }
}

/** RFC 3986 §3.3. */
function withoutParameters(path: string): string {
  return path.replace(/;[^/]*/g, '');
}
