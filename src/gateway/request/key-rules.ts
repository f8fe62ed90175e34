import { compileKeyPatterns } from '../../s3/key-pattern.ts';
import { AnswerRules, type HeaderChanges } from './answer-rules.ts';
import type { CachePolicy } from './cache-policy.ts';
import type { CompressionRules } from './compression-rules.ts';
import { type CorsPolicy, CrossOrigin } from './cross-origin.ts';
import { type RequestChanges, RequestRules } from './request-rules.ts';
import { TargetMemo, URL_LENGTH_LIMIT } from './target-memo.ts';

/** What the configuration says of a key. */
export interface KeyRules {
  readonly cache: CachePolicy;
  /** Left out, or `off`: nothing is compressed. */
  readonly compress?: CompressionRules | 'off' | undefined;
  /** What of answers is otherwise than the store has said; undefined where nothing is. */
  readonly answers?: AnswerRules | undefined;
  /** The same of requests to the store or origin. */
  readonly requests?: RequestRules | undefined;
  /** That the site has. Left out, or none: what clients accept is as they say. */
  readonly languages?: readonly string[] | undefined;
  /** Left out: `invalidate`. */
  readonly onChange?: OnChange | undefined;
}

/** What becomes of an object that was written beside the gateway, once an event told so: `warm` reads it again unasked. */
type OnChange = 'invalidate' | 'warm';

/** The sections of a rule, as they are configured. */
interface Sections {
  readonly cache: CachePolicy;
  readonly compress: CompressionRules | 'off';
  readonly responseHeaders: HeaderChanges;
  readonly cors: CorsPolicy;
  readonly requestHeaders: RequestChanges;
  readonly onChange: OnChange;
  readonly languages: readonly string[];
}

type PartialSections = { readonly [Name in keyof Sections]?: Sections[Name] | undefined };

/** One rule: some sections, and the keys that they are for. */
export interface Rule extends PartialSections {
  /** See `compileKeyPatterns`. */
  readonly keys: readonly string[];
}

/** The sections that a bucket has itself. */
type OwnSections = Pick<Sections, 'cache'> & Pick<PartialSections, 'compress' | 'languages'>;

/** The rules of a bucket, and its own sections, which count where no rule says otherwise. */
export interface RuledBucket extends OwnSections {
  readonly rules: readonly Rule[];
}

const sectionNames = [
  'cache',
  'compress',
  'responseHeaders',
  'cors',
  'requestHeaders',
  'onChange',
  'languages',
] as const satisfies readonly (keyof Sections)[];

/**
 * Compiles the rules of a bucket, once for each configuration. Each section is that of the first rule that covers the key and
 * has it. Equal outcomes are one object, so that what is prepared for it serves many keys. A bucket without rules pays for none.
 *
 * @param readingsOf what a key may mean, where that is not sure, see `agreed`
 */
export function compileRules(bucket: RuledBucket, readingsOf = asSpelled): (key: string) => KeyRules {
  const own = outcomeOf(bucket, []);
  if (bucket.rules.length === 0) return () => own;
  const compiled = bucket.rules.map(rule => ({ covers: compileKeyPatterns(rule.keys), rule }));
  const memo = new TargetMemo<KeyRules>();
  const outcomes = new Map<string, KeyRules>();
  const decidersOf = (key: string) =>
    deciders(compiled.filter(({ covers }) => covers(key)).map(({ rule }) => rule));
  const decide = (key: string) => {
    const deciding = agreed(readingsOf(key).map(decidersOf), bucket);
    const name = deciding
      .map(({ rule, sections }) => `${bucket.rules.indexOf(rule)} ${sections.join(' ')}`)
      .join();
    const outcome = outcomes.get(name) ?? outcomeOf(bucket, deciding);
    outcomes.set(name, outcome);
    return outcome;
  };
  return key => {
    const known = memo.find('', key);
    if (known) return known;
    const decided = decide(key);
    // the key is held once, and may need two bytes per character
    if (key.length <= URL_LENGTH_LIMIT) memo.add('', key, decided, key.length);
    return decided;
  };
}

function asSpelled(key: string): readonly string[] {
  return [key];
}

const strictness: Readonly<Record<CachePolicy['mode'], number>> = { cache: 0, revalidate: 1, bypass: 2 };

/** Sections that open something: a client that chooses the spelling must not choose them. */
const opening: readonly (keyof Sections)[] = ['cors', 'requestHeaders'];

/**
 * What decides of a key, from what decides of each of its readings: the strictest mode counts, the first among equal ones, and
 * what opens something counts where it is the same of all.
 */
function agreed(readings: readonly (readonly Decider[])[], { cache }: RuledBucket): readonly Decider[] {
  const modeOf = (deciding: readonly Decider[]) => (ruleOf('cache', deciding)?.cache ?? cache).mode;
  const strictest = readings.reduce((one, other) =>
    strictness[modeOf(other)] > strictness[modeOf(one)] ? other : one,
  );
  if (readings.length === 1) return strictest;
  const isShared = (name: keyof Sections) =>
    readings.every(deciding => ruleOf(name, deciding) === ruleOf(name, strictest));
  return strictest.map(({ rule, sections }) => ({
    rule,
    sections: sections.filter(name => !opening.includes(name) || isShared(name)),
  }));
}

function ruleOf(name: keyof Sections, deciding: readonly Decider[]): Rule | undefined {
  return deciding.find(({ sections }) => sections.includes(name))?.rule;
}

/** A rule that decides something of a key, and which sections. */
interface Decider {
  readonly rule: Rule;
  readonly sections: readonly (keyof Sections)[];
}

/** @param covering the rules that cover a key, in their order */
function deciders(covering: readonly Rule[]): readonly Decider[] {
  const open = new Set<keyof Sections>(sectionNames);
  return covering.flatMap(rule => {
    const sections = [...open].filter(name => rule[name] !== undefined);
    for (const name of sections) open.delete(name);
    return sections.length > 0 ? [{ rule, sections }] : [];
  });
}

const nothingChanged: RequestChanges = { set: {}, remove: [] };

function outcomeOf(own: OwnSections, deciding: readonly Decider[]): KeyRules {
  const find = <Name extends keyof Sections>(name: Name): PartialSections[Name] =>
    ruleOf(name, deciding)?.[name];
  const [headers, cors] = [find('responseHeaders'), find('cors')];
  const answers = headers || cors ? new AnswerRules(headers, cors && new CrossOrigin(cors)) : undefined;
  const languages = find('languages') ?? own.languages ?? [];
  const changes = find('requestHeaders') ?? (languages.length > 0 ? nothingChanged : undefined);
  return {
    cache: find('cache') ?? own.cache,
    compress: find('compress') ?? own.compress,
    answers,
    languages,
    onChange: find('onChange'),
    requests: changes && new RequestRules(changes, languages),
  };
}

/**
 * Which rules decide something of a key, for people: numbers count from one.
 *
 * @param readings what the key may mean, see `compileRules`
 */
export function decidingRules(bucket: RuledBucket, readings: readonly string[]) {
  const { rules } = bucket;
  const found = readings.map(key => deciders(rules.filter(rule => compileKeyPatterns(rule.keys)(key))));
  return agreed(found, bucket).map(({ rule, sections }) => ({
    number: rules.indexOf(rule) + 1,
    keys: rule.keys,
    sections: Object.fromEntries(sections.map(name => [name, rule[name]])) as PartialSections,
  }));
}
