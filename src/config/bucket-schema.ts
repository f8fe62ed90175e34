import { z } from 'zod';
import { meantHint } from '../base/nearest-name.ts';
import { judgeAction } from '../s3/action-verdict.ts';
import { atMostTtl, defaultPolicy, exceedingTtls, overlay, partialPolicy } from './cache-policy-schema.ts';
import { bucketCompress, compressesNothing, compression, ruleCompress } from './compress-schema.ts';
import { cors } from './cors-schema.ts';
import { requestHeaders, responseHeaders } from './header-schema.ts';
import { languages } from './language-schema.ts';
import { choice, flag, listOf, map, size, text } from './scalars.ts';
import { website } from './website-schema.ts';

/** The largest object or part that is sent in one piece (https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html). */
const LARGEST_UPLOAD_BYTES = 5 * 2 ** 30;

const ACTION_TEXT = 'an action such as GetObject, or "*"';

/** `*` or an action by its name in the S3 API, such as GetObject. Policies of Amazon write `s3:GetObject`. */
export const action = () =>
  z.string({ error: ACTION_TEXT }).check(({ value, issues }) => {
    const name = value.replace(/^s3:/i, '');
    const verdict = judgeAction(name);
    if (value === '*' || (verdict.kind !== 'unknown' && name === value)) return;
    const meant = verdict.kind === 'unknown' ? verdict.meant : name;
    issues.push({ code: 'custom', message: ACTION_TEXT + meantHint(meant), input: value });
  });

/** Patterns of keys; one that begins with `!` excludes keys that earlier ones included. */
export const keyPatterns = () =>
  listOf(text('a pattern such as "static/**" or "!private/**"'), 'patterns').min(1, {
    error: 'at least one pattern, such as "**"',
  });

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
  compress: ruleCompress(),
  responseHeaders: responseHeaders.optional(),
  cors: cors.optional(),
  requestHeaders: requestHeaders.optional(),
  onChange: choice(['invalidate', 'warm'])
    .optional()
    .meta({ otherwise: 'as the next rule that covers the key and has it, else `invalidate`' }),
  languages: languages.optional().meta({ otherwise: 'those of the bucket' }),
}).refine(({ keys: _, ...sections }) => Object.keys(sections).length > 0, {
  error: 'a rule that says something of its keys, such as { keys: ["static/**"], cache: { ttl: 1d } }',
});

/** The console shows the ARN of a bucket, which no request takes in place of its name. */
const nameAtStore = (what: string) =>
  text(what).check(({ value, issues }) => {
    if (!/^arn:aws[a-z-]*:s3:::[^/*]/.test(value)) return;
    issues.push({ code: 'custom', message: `the bucket's name, which follows ":::"`, input: value });
  });

const bucketKeys = map({
  backend: text('the name of a backend'),
  bucket: nameAtStore('the name of the bucket at the backend, or the ARN of an access point')
    .optional()
    .meta({ otherwise: 'the name that clients use' }),
  fallbackBucket: nameAtStore(
    'the name of the bucket at the fallback of the backend, or the ARN of an access point',
  )
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
  languages: languages.default([]),
  cache: partialPolicy.default({}),
  compress: bucketCompress(),
  website: website.optional().meta({ otherwise: 'none: browsers get what any client gets' }),
  rules: listOf(rule, 'rules, such as { keys: ["static/**"], cache: { ttl: 1d } }').default([]),
});

const AT_LEAST_MIN = 'at least minSize';

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
    for (const path of exceedingTtls(policy))
      issues.push(problem(['cache', ...path], value.cache, atMostTtl(policy, isDefault)));
    for (const [index, { cache }] of value.rules.entries()) {
      const ofRule = overlay(policy, cache ?? {});
      const expected = atMostTtl(ofRule, isDefault && cache?.maxTtl === undefined);
      for (const path of cache ? exceedingTtls(ofRule) : [])
        issues.push(problem(['rules', index, 'cache', ...path], cache, expected));
    }
    if (value.access !== 'public' && value.website)
      issues.push(problem(['website'], value.website, 'nothing unless access is public'));
    const own = compression(value.compress ?? false);
    if (compressesNothing(own)) issues.push(problem(['compress', 'maxSize'], value.compress, AT_LEAST_MIN));
    for (const [index, { compress }] of value.rules.entries())
      if (compress !== undefined && compressesNothing(compression(compress, own)))
        issues.push(problem(['rules', index, 'compress', 'maxSize'], compress, AT_LEAST_MIN));
  })
  .transform(({ cache, compress, rules, maxBodySize, ...bucket }) => {
    const policy = overlay(defaultPolicy, cache);
    const compressed = compression(compress ?? false);
    return {
      ...bucket,
      maxBodySizeBytes: maxBodySize,
      cache: policy,
      compress: compressed,
      rules: rules.map(({ cache: given, compress: changed, ...others }) => ({
        ...others,
        ...(given && { cache: overlay(policy, given) }),
        ...(changed !== undefined && { compress: compression(changed, compressed) }),
      })),
    };
  });

/** The bucket with the grants that hold where it names none; checks tell these apart from those that are written. */
export function withGrants({ anonymous, ...bucket }: z.output<typeof bucketSchema>) {
  const toAll = bucket.access === 'public' ? [{ actions: ['GetObject'], keys: ['**'] }] : [];
  return { ...bucket, anonymous: anonymous ?? toAll };
}

function problem(path: PropertyKey[], input: unknown, message: string) {
  return { code: 'custom' as const, path, input, message };
}
