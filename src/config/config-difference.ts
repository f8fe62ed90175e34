import { isDeepStrictEqual } from 'node:util';
import type { CachePolicy } from '../gateway/request/cache-policy.ts';
import { formatPath } from './problems.ts';
import { writtenPolicy } from './written-policy.ts';

/** A place where two configurations differ; the path is that of the file, such as `buckets.photos.cache.ttl`. */
export interface ConfigDifference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/**
 * Where `next` differs from `running`, by path and without values, which may be secrets. Of what is added or removed
 * whole only the outermost path is named; of lists the list.
 */
export function configDifferences(running: unknown, next: unknown): readonly ConfigDifference[] {
  return [...differencesBelow([], plain(running), plain(next))];
}

/** As it would be written: a setting that is undefined is absent. */
function plain(config: unknown): unknown {
  return JSON.parse(
    JSON.stringify(config, (_key, value: unknown) => (isPolicy(value) ? writtenPolicy(value) : value)),
  );
}

/** A policy of which something is written in another way. */
function isPolicy(value: unknown): value is CachePolicy {
  return isMap(value) && Object.hasOwn(value, 'namedTtls');
}

function* differencesBelow(
  path: readonly string[],
  running: unknown,
  next: unknown,
): Generator<ConfigDifference> {
  if (isDeepStrictEqual(running, next)) return;
  if (!isMap(running) || !isMap(next)) {
    yield { path: writtenPath(path), change: changeOf(running, next) };
    return;
  }
  for (const key of new Set([...Object.keys(running), ...Object.keys(next)]))
    yield* differencesBelow([...path, key], ownValue(running, key), ownValue(next, key));
}

function changeOf(running: unknown, next: unknown): ConfigDifference['change'] {
  if (running === undefined) return 'added';
  return next === undefined ? 'removed' : 'changed';
}

/** Inside, units are part of the names of settings; in the file they are part of the values. */
function writtenPath(path: readonly string[]): string {
  const isChosenName = path.length === 2 && (path[0] === 'backends' || path[0] === 'buckets');
  return formatPath(isChosenName ? path : path.map(key => key.replace(/(?<=.)(?:Ms|Bytes)$/, '')));
}

type StringMap = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is StringMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownValue(map: StringMap, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
