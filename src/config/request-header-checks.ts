import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compileKeyShare } from '../s3/key-pattern.ts';
import { formatPath } from './problems.ts';
import { shownName } from './secret-texts.ts';

/** The parts of a configuration that tell of request headers. */
interface RequestHeaderConfig {
  readonly backends: Readonly<
    Record<string, { readonly type?: string; readonly fallback?: string | undefined }>
  >;
  readonly buckets: Readonly<Record<string, BucketWithRules>>;
}

interface BucketWithRules {
  readonly backend: string;
  readonly bucket?: string | undefined;
  readonly keyPrefix?: string;
  readonly rules?: readonly ChangingRule[];
}

interface ChangingRule {
  readonly keys?: readonly string[];
  readonly requestHeaders?:
    | { readonly set: Readonly<Record<string, string>>; readonly remove: readonly string[] }
    | undefined;
}

/** @param held names alone: values are secrets */
interface RequestHeaderProblem {
  readonly path: readonly PropertyKey[];
  readonly held: readonly string[];
  readonly allowed: string;
}

/**
 * Header fields of requests may decide what is answered, and may be secrets: buckets that share what is cached have the same, and
 * another store gets none of them.
 */
export function* requestHeaders({ backends, buckets }: RequestHeaderConfig): Generator<RequestHeaderProblem> {
  for (const [name, bucket] of Object.entries(buckets)) {
    const origin = Object.hasOwn(backends, bucket.backend) ? backends[bucket.backend] : undefined;
    const index = bucket.rules?.findIndex(rule => rule.requestHeaders !== undefined) ?? -1;
    const changes = bucket.rules?.[index]?.requestHeaders;
    if (!changes) continue;
    const path = ['buckets', name, 'rules', index, 'requestHeaders'];
    const held = [...Object.keys(changes.set), ...changes.remove];
    const fallback = origin?.fallback;
    if (fallback !== undefined)
      yield {
        path,
        held,
        allowed: `nothing, since the fallback ${shownName(fallback)} would get them as well`,
      };
    const root = origin?.type === 'http' ? '/' : '';
    const other = Object.keys(buckets).find(
      each => each !== name && isSamePlace(each, name, buckets) && !haveSame(bucket, buckets[each], root),
    );
    if (other !== undefined)
      yield {
        path,
        held,
        allowed: `the same as in ${formatPath(['buckets', other])}, which is at the same place: what is cached of one answers readers of the other`,
      };
  }
}

function isSamePlace(one: string, other: string, buckets: RequestHeaderConfig['buckets']): boolean {
  const [first, second] = [buckets[one], buckets[other]];
  if (!first || first.backend !== second?.backend) return false;
  const isOfAny = [one, other].includes(EVERY_OTHER_BUCKET);
  return isOfAny || (first.bucket ?? one) === (second.bucket ?? other);
}

/** Whether both change requests alike for all keys that they have in common. @param root how every key begins */
function haveSame(one: BucketWithRules, other: BucketWithRules | undefined, root: string): boolean {
  const [prefix = '', shared = ''] = [one.keyPrefix ?? '', other?.keyPrefix ?? ''].sort(
    (first, second) => first.length - second.length,
  );
  if (!shared.startsWith(prefix)) return true;
  return changesBelow(shared, one, root) === changesBelow(shared, other, root);
}

/** What the rules of a bucket change of requests for keys that begin with `shared` at the store, as one text. */
function changesBelow(shared: string, bucket: BucketWithRules | undefined, root: string): string {
  const { keyPrefix = '', rules = [] } = bucket ?? {};
  const changes = rules.flatMap(({ keys = ['**'], requestHeaders }) => {
    const below = shared.slice(keyPrefix.length);
    const share = compileKeyShare(keys)(below === '' ? root : below);
    if (!requestHeaders || share === 'none') return [];
    return [[share === 'every' ? share : [keyPrefix, keys], requestHeaders]];
  });
  return JSON.stringify(changes);
}
