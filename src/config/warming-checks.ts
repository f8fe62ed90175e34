import { parseAccessPointArn } from '../s3/access-point.ts';
import { bucketPlaces, type PlacedBucket } from './bucket-places.ts';

/** The parts of a configuration that decide whether changed objects can be read again. */
export interface WarmingConfig {
  readonly backends: Readonly<
    Record<string, { readonly type: string; readonly fallback?: string | undefined }>
  >;
  readonly buckets: Readonly<
    Record<string, PlacedBucket & { readonly cache?: Mode; readonly rules?: readonly WarmingRule[] }>
  >;
}

interface Mode {
  readonly mode?: string;
}

interface WarmingRule {
  readonly cache?: Mode | undefined;
  readonly onChange?: string | undefined;
}

interface WarmingProblem {
  readonly path: readonly PropertyKey[];
  readonly held: unknown;
  readonly allowed: string;
}

/** `onChange: warm` where no event can lead to a read, or where nothing that is read is kept. */
export function* impossibleWarming({ backends, buckets }: WarmingConfig): Generator<WarmingProblem> {
  for (const [name, bucket] of Object.entries(buckets)) {
    for (const [index, rule] of (bucket.rules ?? []).entries()) {
      if (rule.onChange !== 'warm') continue;
      const why = whyPlaceCannot(name, bucket, backends) ?? whyNothingIsKept(rule, bucket);
      const path = ['buckets', name, 'rules', index, 'onChange'];
      if (why !== undefined) yield { path, held: rule.onChange, allowed: `invalidate, since ${why}` };
    }
  }
}

function whyPlaceCannot(name: string, bucket: PlacedBucket, backends: WarmingConfig['backends']) {
  const type = Object.hasOwn(backends, bucket.backend) ? backends[bucket.backend]?.type : undefined;
  if (type === 'http') return 'a web origin has no objects to read';
  const [{ bucket: atStore }] = bucketPlaces(name, bucket, backends);
  if (parseAccessPointArn(atStore)) return 'events name buckets, and this one is an access point';
  return undefined;
}

/** What another rule says of the same keys counts only for a rule that does not say itself how they are cached. */
function whyNothingIsKept(rule: WarmingRule, { cache, rules = [] }: WarmingConfig['buckets'][string]) {
  const said = rule.cache ? [rule.cache] : [cache, ...rules.map(each => each.cache)];
  const modes = said.flatMap(policy => policy?.mode ?? []);
  return modes.length > 0 && modes.every(mode => mode === 'bypass')
    ? 'with mode: bypass nothing is kept'
    : undefined;
}
