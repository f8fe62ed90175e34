import { judgeAction } from '../s3/action-verdict.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compileKeyPatterns, compileKeyShare } from '../s3/key-pattern.ts';
import { pathKeyProblem } from '../s3/path-key.ts';
import { type PatternEffect, patternEffects } from '../s3/pattern-effects.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { formatPath } from './problems.ts';
import { keysOf } from './restricted-keys.ts';

type GrantConfig = Pick<GatewayConfig, 'backends' | 'buckets' | 'clients'>;
type Path = readonly PropertyKey[];

interface Grant {
  readonly path: Path;
  readonly keys: readonly string[];
  readonly actions: readonly string[];
  /** Names of the configured buckets that it applies to. */
  readonly buckets: readonly string[];
}

const GRANTS_NOTHING = 'it grants nothing';

/** Warns of grants that can never match, exclusions without effect, and buckets that no one can use. */
export function grantWarnings(config: GrantConfig): ConfigWarning[] {
  const grants = [...grantsToAll(config), ...grantsToClients(config)];
  return [
    ...grants.flatMap(grant => [...actionWarnings(grant), ...patternWarnings(grant, config)]),
    ...ruleWarnings(config),
    ...emptyLists(config),
    ...bucketsOfNobody(config, grants),
  ];
}

function* grantsToAll({ buckets }: GrantConfig): Generator<Grant> {
  for (const [name, { anonymous }] of Object.entries(buckets)) {
    for (const [index, { keys, actions }] of anonymous.entries())
      yield { path: ['buckets', name, 'anonymous', index], keys, actions, buckets: [name] };
  }
}

function* grantsToClients({ clients, buckets }: GrantConfig): Generator<Grant> {
  const configured = Object.keys(buckets);
  for (const [client, { allow }] of clients.entries()) {
    for (const [index, { buckets: named, keys, actions }] of allow.entries()) {
      const path = ['clients', client, 'allow', index];
      const meant = named.map(name => (configured.includes(name) ? name : EVERY_OTHER_BUCKET));
      yield { path, keys, actions, buckets: named.includes(EVERY_OTHER_BUCKET) ? configured : meant };
    }
  }
}

function* actionWarnings({ path, actions, keys }: Grant): Generator<ConfigWarning> {
  if (actions.length === 0) yield { path: [...path, 'actions'], consequence: GRANTS_NOTHING };
  for (const [index, action] of actions.entries()) {
    const consequence = action === '*' ? undefined : actionProblem(action, keys);
    if (consequence !== undefined) yield { path: [...path, 'actions', index], consequence };
  }
}

function actionProblem(action: string, keys: readonly string[]): string | undefined {
  const standing = judgeAction(action);
  switch (standing.kind) {
    case 'follows':
      return `${GRANTS_NOTHING}; it is permitted by ${standing.action}, so use that`;
    case 'not passed':
      return `${GRANTS_NOTHING}, since this version does not pass such requests to stores`;
    case 'unknown':
      // the schema refuses it
      return undefined;
    case 'grants':
      if (standing.on === 'keys' || isForBucket(standing.on, keys)) return undefined;
      return `${GRANTS_NOTHING}, since it applies to the bucket as a whole, which needs a grant with keys: ["**"]`;
  }
}

/** As `passOperation` judges. */
function isForBucket(on: 'bucket' | 'every key', keys: readonly string[]): boolean {
  return on === 'bucket' ? compileKeyPatterns(keys)('') : compileKeyShare(keys)('') === 'every';
}

function* patternWarnings({ path, keys, buckets }: Grant, config: GrantConfig): Generator<ConfigWarning> {
  const atPaths = buckets.find(name => isStoreOfPaths(name, config));
  const areWeb = buckets.length > 0 && buckets.every(name => isAtWebOrigin(name, config));
  const effects = patternEffects(keys);
  for (const [index, pattern] of keys.entries()) {
    const spelling = areWeb ? pathProblem(pattern) : aliasProblem(pattern, atPaths);
    const consequence = spelling ?? effectProblem(effects?.[index]);
    if (consequence !== undefined) yield { path: [...path, 'keys', index], consequence };
  }
}

/** Cache rules use the same patterns. */
function* ruleWarnings(config: GrantConfig): Generator<ConfigWarning> {
  for (const [name, { rules }] of Object.entries(config.buckets)) {
    for (const [index, { keys }] of rules.entries()) {
      const path = ['buckets', name, 'rules', index];
      yield* patternWarnings({ path, keys, actions: [], buckets: [name] }, config);
    }
  }
}

/** The keys of a web origin are its paths. */
function pathProblem(pattern: string): string | undefined {
  return /^!?[/*]/.test(pattern) ? undefined : 'it matches nothing: paths of a web origin begin with a slash';
}

function isAtWebOrigin(bucket: string, { backends, buckets }: GrantConfig): boolean {
  return backends[buckets[bucket]?.backend ?? '']?.type === 'http';
}

function isStoreOfPaths(bucket: string, { backends, buckets }: GrantConfig): boolean {
  const backend = Object.hasOwn(buckets, bucket) ? backends[buckets[bucket]?.backend ?? ''] : undefined;
  return backend?.type === 's3' && keysOf(backend) === 'path';
}

/** If a pattern is a problem with one letter in place of each star, it is a problem for all keys that it matches. */
function aliasProblem(pattern: string, bucketAtPaths: string | undefined): string | undefined {
  const example = pattern.replace(/^!/, '').replace(/\*+/g, 'x');
  const problem = pathKeyProblem(example);
  if (bucketAtPaths !== undefined && problem !== undefined)
    return `no key of ${formatPath(['buckets', bucketAtPaths])} matches it: its store takes keys as paths, and such keys are refused (${problem})`;
  if (!example.startsWith('/')) return undefined;
  return 'it matches only keys that begin with a slash; that of /bucket/a.txt is "a.txt", and that of /bucket//a.txt is "/a.txt"';
}

function effectProblem(effect: PatternEffect | undefined): string | undefined {
  if (effect === 'overridden')
    return 'it has no effect: of the patterns that match a key the last one decides, and those after it match all its keys';
  if (effect === 'excludes-nothing')
    return 'it excludes nothing: no pattern before it in this list includes such keys, and a grant excludes nothing from another';
  return undefined;
}

function* emptyLists({ clients }: GrantConfig): Generator<ConfigWarning> {
  for (const [client, { allow }] of clients.entries()) {
    const path = ['clients', client, 'allow'];
    if (allow.length === 0) yield { path, consequence: 'this client may do no more than everybody' };
    for (const [index, { buckets }] of allow.entries()) {
      if (buckets.length === 0) yield { path: [...path, index, 'buckets'], consequence: GRANTS_NOTHING };
    }
  }
}

function* bucketsOfNobody(
  { buckets, clients }: GrantConfig,
  grants: readonly Grant[],
): Generator<ConfigWarning> {
  const granted = new Set(grants.flatMap(grant => grant.buckets));
  for (const [name, { access }] of Object.entries(buckets)) {
    if (granted.has(name)) continue;
    const why = clients.length === 0 ? 'there are no clients' : 'no grant of a client names the bucket';
    const consequence = `nobody may do anything there, since ${why}`;
    yield { path: ['buckets', name, access === 'public' ? 'anonymous' : 'access'], consequence };
  }
}
