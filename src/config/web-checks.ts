import { WHOLE_PATH_SPACE } from '../gateway/request/bucket-table.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { ownStatuses, type Statuses } from './named-statuses.ts';

/** The parts of a configuration that tell of web origins. */
export interface WebConfig {
  readonly backends: Readonly<Record<string, { readonly type: string }>>;
  readonly buckets: Readonly<
    Record<
      string,
      {
        readonly backend: string;
        readonly bucket?: string | undefined;
        readonly fallbackBucket?: string | undefined;
        readonly keyPrefix?: string;
        readonly access?: string;
        /** Undefined where none are written. */
        readonly anonymous?: readonly object[] | undefined;
        readonly query?: { readonly names: string | readonly string[]; readonly sorted: boolean };
        readonly setCookie?: string;
        readonly languages?: readonly string[];
        readonly website?: object | undefined;
        readonly cache?: Statuses;
        readonly rules?: readonly RuleAtOrigin[];
      }
    >
  >;
}

interface RuleAtOrigin {
  readonly cache?: Statuses | undefined;
  readonly requestHeaders?:
    | { readonly set: Readonly<Record<string, string>>; readonly remove: readonly string[] }
    | undefined;
  readonly languages?: readonly string[] | undefined;
}

interface WebProblem {
  readonly path: readonly PropertyKey[];
  readonly held: unknown;
  readonly allowed: string;
}

type BucketAtOrigin = WebConfig['buckets'][string];

/** Web origins know paths and queries, and neither buckets nor grants; stores know no paths of their own. */
export function* webOrigins({ backends, buckets }: WebConfig): Generator<WebProblem> {
  const names = Object.keys(buckets);
  for (const [name, bucket] of Object.entries(buckets)) {
    const isWeb = Object.hasOwn(backends, bucket.backend) && backends[bucket.backend]?.type === 'http';
    if (name === WHOLE_PATH_SPACE && (!isWeb || names.length > 1))
      yield {
        path: ['buckets', name],
        held: bucket.backend,
        allowed: 'a bucket at a backend of type: http, with no other bucket beside it',
      };
    for (const [key, allowed] of isWeb ? atOrigin(name, bucket) : atStore(bucket))
      yield { path: ['buckets', name, key], held: Reflect.get(bucket, key), allowed };
    if (!isWeb)
      for (const { path, allowed } of unchangedRequests(bucket))
        yield { path: ['buckets', name, ...path], held: undefined, allowed };
    for (const [path, held, allowed] of uselessLanguages(bucket, isWeb))
      yield { path: ['buckets', name, ...path], held, allowed };
    for (const { path, status } of isWeb ? [] : ownStatuses(bucket))
      if (!ofStores.includes(status))
        yield {
          path: ['buckets', name, ...path],
          held: undefined,
          allowed: `nothing, since of a store's answers only ${ofStores.join(', ')} are kept`,
        };
  }
}

/** A store gets the gateway's own requests, of which there is nothing to take away, signed by the gateway. */
function* unchangedRequests({ rules = [] }: BucketAtOrigin) {
  for (const [index, { requestHeaders: changes }] of rules.entries()) {
    const path = ['rules', index, 'requestHeaders'];
    if (changes && changes.remove.length > 0)
      yield {
        path: [...path, 'remove'],
        allowed: 'nothing: stores get what clients send as far as they know it',
      };
    if (changes && Object.hasOwn(changes.set, 'authorization'))
      yield {
        path: [...path, 'set', 'authorization'],
        allowed: 'nothing, since the gateway signs what it asks stores',
      };
  }
}

/** Stores have no languages, and where all clients are given one, or none, there is nothing to choose. */
function* uselessLanguages({ rules = [] }: BucketAtOrigin, isWeb: boolean) {
  for (const [index, { languages, requestHeaders: changes }] of rules.entries()) {
    if (languages === undefined) continue;
    const path = ['rules', index, 'languages'];
    const isGiven = Object.keys(changes?.set ?? {}).includes('accept-language');
    if (!isWeb) yield [path, languages, 'nothing, since the backend is no web origin'] as const;
    else if (languages.length > 0 && (isGiven || changes?.remove.includes('accept-language')))
      yield [path, languages, 'nothing, since requestHeaders of this rule changes accept-language'] as const;
  }
}

/** docs/semantics.md, Decided 8. */
const ofStores: readonly number[] = [200, 403, 404, 405];

function* atOrigin(name: string, bucket: BucketAtOrigin): Generator<readonly [key: string, allowed: string]> {
  const { keyPrefix = '', access, anonymous } = bucket;
  if (name === EVERY_OTHER_BUCKET) yield ['backend', 'a store, since "*" stands for buckets of one'];
  if (bucket.bucket !== undefined) yield ['bucket', 'nothing: a web origin has no buckets'];
  if (!/^(?:\/[\x21-\x7e]*[^/])?$/.test(keyPrefix) || /[?#\\]|\/\.{1,2}(?:\/|$)/.test(keyPrefix))
    yield ['keyPrefix', 'nothing, or a path such as /docs, which begins with a slash and ends without one'];
  if (bucket.website && !Object.values(bucket.website).every(isPathText))
    yield [
      'website',
      'names as they stand in paths: visible ASCII characters without ?, #, backslashes and dots alone',
    ];
  if (access !== 'public') yield ['access', 'public: who may have what is for the web origin to say'];
  if (access === 'public' && anonymous)
    yield ['anonymous', 'nothing: every request is passed on to a web origin'];
}

/** Settings that are no texts name nothing. */
function isPathText(name: unknown): boolean {
  return typeof name !== 'string' || /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?:(?![?#\\])[\x21-\x7e])*$/.test(name);
}

function* atStore({
  query,
  setCookie = 'never',
  languages = [],
}: BucketAtOrigin): Generator<readonly [key: string, allowed: string]> {
  const isDefault = query === undefined || (query.names === 'all' && !query.sorted);
  if (!isDefault) yield ['query', 'nothing, since the backend is no web origin'];
  if (setCookie !== 'never') yield ['setCookie', 'never, since the backend is no web origin'];
  if (languages.length > 0) yield ['languages', 'nothing, since the backend is no web origin'];
}
