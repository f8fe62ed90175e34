import type { ContentCoding } from '../../http/content-coding.ts';
import { mediaTypeOf } from '../../http/media-type.ts';

/** Which answers are compressed, and for whom. */
export interface CompressionRules {
  /** Those that are offered, the first one first to who takes several equally. */
  readonly codings: readonly ContentCoding[];
  /** Media types without parameters, in lower case; `*` stands for any characters but a slash. */
  readonly types: readonly string[];
  /** Contents of other sizes are left as they are. */
  readonly minSizeBytes: number;
  readonly maxSizeBytes: number;
  /** Whether signed requests get compressed answers too: programs that sign compare what they read with checksums and sizes. */
  readonly signed: boolean;
}

/** Compiles patterns of media types. @returns whether the value of a Content-Type is of one of them */
export function compileTypes(types: readonly string[]): (contentType: string) => boolean {
  const exact = new Set(types.filter(type => !type.includes('*')));
  const patterns = types
    .filter(type => type.includes('*'))
    .map(type => new RegExp(`^${type.split('*').map(literally).join('[^/]*')}$`));
  return contentType => {
    const type = mediaTypeOf(contentType);
    return exact.has(type) || patterns.some(pattern => pattern.test(type));
  };
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
