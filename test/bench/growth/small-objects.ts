import { bucket } from '../store-command.ts';

/** Objects of one size that nobody has to be told of: the key says which one it is, and the content begins with its key. */
export function pathOf(sizeBytes: number, index: number): string {
  return `/${bucket}/${keyOf(sizeBytes, index)}`;
}

function keyOf(sizeBytes: number, index: number): string {
  return `${sizeBytes}/folder-${index % 1000}/object-${index}.bin`;
}

/** The content of the object at `path`; undefined where there is none. */
export function contentAt(path: string): Buffer | undefined {
  const [, key = '', sizeBytes] = /^\/[^/]+\/((\d+)\/[^?]+)/.exec(path) ?? [];
  return sizeBytes === undefined ? undefined : Buffer.from(key.padEnd(Number(sizeBytes), '.'), 'latin1');
}
