import { z } from 'zod';
import type { CachePolicy } from '../gateway/request/cache-policy.ts';
import { judgeAction } from '../s3/action-verdict.ts';
import { choice, duration, flag, listOf, map, share, size, text } from './scalars.ts';
import { formatDuration } from './units.ts';

const DAY_MS = 86_400_000;
const TIB_BYTES = 2 ** 40;
/** The largest object or part that is sent in one piece (https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html). */
const LARGEST_UPLOAD_BYTES = 5 * 2 ** 30;
const MAX_TTL_MS = 3_650 * DAY_MS;

const ACTION_TEXT = 'an action such as GetObject, or "*"';

/** `*` or an action by its name in the S3 API, such as GetObject. Policies of Amazon write `s3:GetObject`. */
export const action = () =>
  z.string({ error: ACTION_TEXT }).check(({ value, issues }) => {
    const name = value.replace(/^s3:/i, '');
    const verdict = judgeAction(name);
    if (value === '*' || (verdict.kind !== 'unknown' && name === value)) return;
    const meant = verdict.kind === 'unknown' ? verdict.meant : name;
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    issues.push({ code: 'custom', message: ACTION_TEXT + hint, input: value });
  });

/** Patterns of keys; one that begins with `!` excludes keys that earlier ones included. */
export const keyPatterns = () =>
  listOf(text('a pattern such as "static/**" or "!private/**"'), 'patterns').min(1, {
    error: 'at least one pattern, such as "**"',
  });

const ttl = () => duration(0, MAX_TTL_MS);

const blockSize = () =>
  size(4 * 2 ** 10, 16 * 2 ** 20).refine(bytes => Number.isInteger(Math.log2(bytes)), {
    error: 'a power of two, such as 256KiB or 1MiB',
  });

const defaultPolicy: CachePolicy = {
  ttlMs: 60_000,
  maxTtlMs: DAY_MS,
  negativeTtlMs: 5_000,
  heuristicShare: 0,
  staleWhileRevalidateMs: 0,
  staleIfErrorMs: 0,
  maxStaleMs: 0,
  honourCacheControl: true,
  clientDirectives: 'ignore',
  targetedCacheControl: 'pass',
  showsKey: false,
  blockSizeBytes: 2 ** 20,
  // The largest object that docs/semantics.md allows.
  maxObjectSizeBytes: 5 * TIB_BYTES,
};

/** `overlay` fills in what is left out. */
const policyKeys = {
  ttl: ttl().meta({ fallback: defaultPolicy.ttlMs }),
  maxTtl: ttl().meta({ fallback: defaultPolicy.maxTtlMs }),
  negativeTtl: ttl().meta({ fallback: defaultPolicy.negativeTtlMs }),
  heuristicShare: share().meta({ fallback: defaultPolicy.heuristicShare }),
  staleWhileRevalidate: ttl().meta({ fallback: defaultPolicy.staleWhileRevalidateMs }),
  staleIfError: ttl().meta({ fallback: defaultPolicy.staleIfErrorMs }),
  maxStale: ttl().meta({ fallback: defaultPolicy.maxStaleMs }),
  honourCacheControl: flag().meta({ fallback: defaultPolicy.honourCacheControl }),
  clientDirectives: choice(['ignore', 'honour']).meta({ fallback: defaultPolicy.clientDirectives }),
  targetedCacheControl: choice(['pass', 'strip']).meta({ fallback: defaultPolicy.targetedCacheControl }),
  showKey: flag().meta({ fallback: defaultPolicy.showsKey }),
  blockSize: blockSize().meta({ fallback: defaultPolicy.blockSizeBytes }),
  maxObjectSize: size(1, 1024 * TIB_BYTES).meta({ fallback: defaultPolicy.maxObjectSizeBytes }),
};

const partialPolicy = map(policyKeys).partial();

/** Overrides `base` with `given`, so that a rule only needs to list what differs from its bucket. */
function overlay(base: CachePolicy, given: z.output<typeof partialPolicy>): CachePolicy {
  return {
    ttlMs: given.ttl ?? base.ttlMs,
    maxTtlMs: given.maxTtl ?? base.maxTtlMs,
    negativeTtlMs: given.negativeTtl ?? base.negativeTtlMs,
    heuristicShare: given.heuristicShare ?? base.heuristicShare,
    staleWhileRevalidateMs: given.staleWhileRevalidate ?? base.staleWhileRevalidateMs,
    staleIfErrorMs: given.staleIfError ?? base.staleIfErrorMs,
    maxStaleMs: given.maxStale ?? base.maxStaleMs,
    honourCacheControl: given.honourCacheControl ?? base.honourCacheControl,
    clientDirectives: given.clientDirectives ?? base.clientDirectives,
    targetedCacheControl: given.targetedCacheControl ?? base.targetedCacheControl,
    showsKey: given.showKey ?? base.showsKey,
    blockSizeBytes: given.blockSize ?? base.blockSizeBytes,
    maxObjectSizeBytes: given.maxObjectSize ?? base.maxObjectSizeBytes,
  };
}

const customerKeys = map({
  cache: choice(['never'], ['memory']).default('never'),
  plainHttp: choice(['never', 'loopback', 'always']).default('never'),
});

/** Which parameters tell answers of a web origin apart, and are passed on to it with GET and HEAD. */
const query = map({
  names: z
    .union([choice(['all', 'none']), listOf(text('the name of a parameter'), 'names of parameters')], {
      error: 'all, none, or a list of names of parameters',
    })
    .default('all'),
  sorted: flag().default(false),
});

/** Sections that a rule leaves out are those of the next rule that covers the key and has them, or of the bucket. */
const rule = map({
  keys: keyPatterns(),
  cache: partialPolicy.meta({ keysOtherwise: 'that of the bucket' }).optional(),
}).refine(({ keys: _, ...sections }) => Object.keys(sections).length > 0, {
  error: 'a rule that says something of its keys, such as { keys: ["static/**"], cache: { ttl: 1d } }',
});

const bucketKeys = map({
  backend: text('the name of a backend'),
  bucket: text('the name or ARN of the bucket at the backend')
    .optional()
    .meta({ otherwise: 'the name that clients use' }),
  fallbackBucket: text('the name or ARN of the bucket at the fallback of the backend')
    .optional()
    .meta({ otherwise: 'the same as at the backend' }),
  keyPrefix: z.string({ error: 'a text that is put before every key' }).default(''),
  access: choice(['public', 'verify'], ['delegate']),
  anonymous: listOf(
    map({ actions: listOf(action(), 'actions'), keys: keyPatterns().default(['**']) }),
    'grants, such as { actions: [GetObject], keys: ["**"] }',
  )
    .optional()
    .meta({ otherwise: 'GetObject of all keys, where access is public' }),
  customerKeys: customerKeys.prefault({}),
  maxBodySize: size(0, LARGEST_UPLOAD_BYTES).default(LARGEST_UPLOAD_BYTES),
  query: query.prefault({}),
  setCookie: choice(['never', 'store']).default('never'),
  cache: partialPolicy.default({}),
  rules: listOf(rule, 'rules, such as { keys: ["static/**"], cache: { ttl: 1d } }').default([]),
});

/**
 * One bucket under its client-facing name. The policies of its rules are complete: missing values are taken from the
 * bucket.
 */
export const bucketSchema = bucketKeys
  .check(({ value, issues }) => {
    if (value.access !== 'public' && value.anonymous) {
      issues.push(problem(['anonymous'], value.anonymous, 'nothing unless access is public'));
    }
    const policy = overlay(defaultPolicy, value.cache);
    const isDefault = value.cache.maxTtl === undefined;
    if (exceedsMaximum(policy))
      issues.push(problem(['cache', 'ttl'], value.cache, atMost(policy, isDefault)));
    for (const [index, rule] of value.rules.entries()) {
      const ofRule = overlay(policy, rule.cache ?? {});
      if (!exceedsMaximum(ofRule)) continue;
      const expected = atMost(ofRule, isDefault && rule.cache?.maxTtl === undefined);
      issues.push(problem(['rules', index, 'cache', 'ttl'], rule, expected));
    }
  })
  .transform(({ cache, rules, anonymous, maxBodySize, ...bucket }) => {
    const policy = overlay(defaultPolicy, cache);
    return {
      ...bucket,
      maxBodySizeBytes: maxBodySize,
      anonymous: bucket.access === 'public' ? (anonymous ?? [{ actions: ['GetObject'], keys: ['**'] }]) : [],
      cache: policy,
      rules: rules.map(({ keys, cache: given }) => ({
        keys,
        ...(given && { cache: overlay(policy, given) }),
      })),
    };
  });

function exceedsMaximum({ ttlMs, maxTtlMs }: CachePolicy): boolean {
  return ttlMs > maxTtlMs;
}

function atMost({ maxTtlMs }: CachePolicy, isDefault: boolean): string {
  return `at most maxTtl (${formatDuration(maxTtlMs)}${isDefault ? ', the default' : ''})`;
}

function problem(path: PropertyKey[], input: unknown, message: string) {
  return { code: 'custom' as const, path, input, message };
}
