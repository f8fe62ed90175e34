import { z } from 'zod';
import type { CompressionRules } from '../gateway/request/compression-rules.ts';
import { choice, flag, listOf, map, size } from './scalars.ts';

const TYPE_TEXT = 'a media type such as text/html, text/* or application/*+json';

/** RFC 6838 §4.2, in lower case, and `*`. */
const mediaType = () =>
  z.string({ error: TYPE_TEXT }).regex(/^[a-z0-9!#$&^_.+*-]{1,127}\/[a-z0-9!#$&^_.+*-]{1,127}$/, {
    error: TYPE_TEXT,
  });

const MIB_BYTES = 2 ** 20;
const LARGEST_BYTES = 64 * MIB_BYTES;

const defaultRules: CompressionRules = {
  codings: ['br', 'zstd', 'gzip'],
  // what shrinks: texts, and formats that are not compressed themselves
  types: [
    'text/*',
    'application/javascript',
    'application/json',
    'application/x-javascript',
    'application/xml',
    'application/*+json',
    'application/*+xml',
    'application/wasm',
    'application/vnd.ms-fontobject',
    'font/otf',
    'font/ttf',
    'image/svg+xml',
    'image/x-icon',
  ],
  minSizeBytes: 1024,
  maxSizeBytes: 8 * MIB_BYTES,
  signed: false,
};

/** `compression` fills in what is left out. */
const keys = map({
  codings: listOf(choice(['br', 'zstd', 'gzip']), 'br, zstd and gzip, the best first')
    .min(1, { error: 'at least one of br, zstd, gzip' })
    .refine(codings => new Set(codings).size === codings.length, { error: 'each coding once' })
    .meta({ fallback: defaultRules.codings }),
  types: listOf(mediaType(), 'media types')
    .min(1, { error: TYPE_TEXT })
    .meta({ fallback: defaultRules.types }),
  minSize: size(1, LARGEST_BYTES).meta({ fallback: defaultRules.minSizeBytes }),
  maxSize: size(1, LARGEST_BYTES).meta({ fallback: defaultRules.maxSizeBytes }),
  signed: flag().meta({ fallback: defaultRules.signed }),
}).partial();

const FORMS_TEXT = 'true, false, or a map of codings, types, minSize, maxSize, signed';

export const bucketCompress = () =>
  z.union([flag(), keys], { error: FORMS_TEXT }).optional().meta({ otherwise: 'nothing is compressed' });

export const ruleCompress = () =>
  z
    .union([flag(), keys.meta({ keysOtherwise: 'that of the bucket' })], { error: FORMS_TEXT })
    .optional()
    .meta({ otherwise: 'that of the bucket' });

type Given = boolean | z.output<typeof keys>;

/** What `given` means: `true` is a map without keys, and what it leaves out is that of `base`. */
export function compression(
  given: Given,
  base: CompressionRules | 'off' = defaultRules,
): CompressionRules | 'off' {
  if (given === false) return 'off';
  const { codings, types, minSize, maxSize, signed } = given === true ? {} : given;
  const own = base === 'off' ? defaultRules : base;
  return {
    codings: codings ?? own.codings,
    types: types ?? own.types,
    minSizeBytes: minSize ?? own.minSizeBytes,
    maxSizeBytes: maxSize ?? own.maxSizeBytes,
    signed: signed ?? own.signed,
  };
}

/** Whether nothing is of the sizes that are compressed. */
export function compressesNothing(rules: CompressionRules | 'off'): boolean {
  return rules !== 'off' && rules.minSizeBytes > rules.maxSizeBytes;
}
