import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';

/** The parts of a configuration that tell of request headers. */
interface RequestHeaderConfig {
  readonly backends: Readonly<Record<string, { readonly fallback?: string | undefined }>>;
  readonly buckets: Readonly<Record<string, BucketWithRules>>;
}

interface BucketWithRules {
  readonly backend: string;
  readonly bucket?: string | undefined;
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
    const index = bucket.rules?.findIndex(rule => rule.requestHeaders !== undefined) ?? -1;
    const changes = bucket.rules?.[index]?.requestHeaders;
    if (!changes) continue;
    const path = ['buckets', name, 'rules', index, 'requestHeaders'];
    const held = [...Object.keys(changes.set), ...changes.remove];
    const fallback = Object.hasOwn(backends, bucket.backend) ? backends[bucket.backend]?.fallback : undefined;
    if (fallback !== undefined)
      yield { path, held, allowed: `nothing, since the fallback ${fallback} would get them as well` };
    const other = Object.keys(buckets).find(
      each => each !== name && isSamePlace(each, name, buckets) && !haveSame(bucket, buckets[each]),
    );
    if (other !== undefined)
      yield {
        path,
        held,
        allowed: `the same as in ${other}, which is at the same place: what is cached of one answers readers of the other`,
      };
  }
}

function isSamePlace(one: string, other: string, buckets: RequestHeaderConfig['buckets']): boolean {
  const [first, second] = [buckets[one], buckets[other]];
  if (!first || first.backend !== second?.backend) return false;
  const isOfAny = [one, other].includes(EVERY_OTHER_BUCKET);
  return isOfAny || (first.bucket ?? one) === (second.bucket ?? other);
}

function haveSame(one: BucketWithRules, other: BucketWithRules | undefined): boolean {
  const [first, second] = [one, other].map(bucket =>
    JSON.stringify(
      (bucket?.rules ?? []).flatMap(({ keys, requestHeaders: changes }) =>
        changes ? [[keys, changes]] : [],
      ),
    ),
  );
  return first === second;
}
