import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import type { KeyKind } from '../s3/path-key.ts';

interface Backend {
  readonly type: string;
  readonly keys?: KeyKind | undefined;
  readonly fallback?: string | undefined;
}

interface FallbackConfig {
  readonly backends: Readonly<Record<string, Backend>>;
  readonly buckets: Readonly<
    Record<string, { readonly backend: string; readonly fallbackBucket?: string | undefined }>
  >;
}

/** A name that cannot be meant, and what is allowed there. */
interface FallbackProblem {
  readonly path: readonly string[];
  readonly held: string;
  readonly allowed: string;
}

/**
 * Backends that stand in for others: they have to exist, and to tell keys apart in the same way. Otherwise a grant for some
 * keys at one would be a grant for others at the other.
 */
export function* fallbacks({ backends, buckets }: FallbackConfig): Generator<FallbackProblem> {
  for (const [name, backend] of Object.entries(backends)) {
    const { fallback: held } = backend;
    if (held === undefined) continue;
    const path = ['backends', name, 'fallback'];
    const other = held !== name && Object.hasOwn(backends, held) ? backends[held] : undefined;
    if (!other || other.type === 'http') yield { path, held, allowed: 'the name of another backend' };
    else if (statedKeys(other) !== statedKeys(backend))
      yield {
        path,
        held,
        allowed: `a backend whose keys are ${statedKeys(backend) ?? 'not stated'} as well`,
      };
  }
  for (const [name, { backend, fallbackBucket: held }] of Object.entries(buckets)) {
    if (held === undefined) continue;
    const path = ['buckets', name, 'fallbackBucket'];
    if (backends[backend]?.fallback === undefined)
      yield { path, held, allowed: 'nothing, since its backend has no fallback' };
    else if (name === EVERY_OTHER_BUCKET)
      yield { path, held, allowed: 'nothing, since "*" stands for every other name as it is' };
  }
}

/** Undefined where nobody has said it: then nothing restricts keys, unless the other backend has said it. */
function statedKeys({ type, keys }: Backend): string | undefined {
  return type === 'embedded' ? 'exact' : keys;
}
