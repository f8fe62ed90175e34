import type { z } from 'zod';
import type { ConfigWarning } from './config-warning.ts';
import { referencesIn, shownReference } from './environment.ts';
import { homeOf } from './key-homes.ts';
import { misspeltHint } from './scalars.ts';
import { HIDDEN_KEY, LONGEST_SHOWN, looksSecret, secretKey } from './secret-texts.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const HIDDEN = 'a value that is not shown';

/** Places where a misspelt key probably holds a secret. A webhook's URL is one. */
const secretPlace = ['credentials', 'clients', 'webhooks', 'requestHeaders', 'headers'];

/** Keys in these places whose values are not secret. */
const publicKey =
  /^(?:actions|allow|buckets|card|duration|from|keys|minSeverity|profile|region|roleArn|rules|service|sessionName|share|timeout)$/;

/**
 * Places whose keys say nothing of what they hold: names that the operator chose (a bucket called "tokens"), names of rules
 * (`refusedSignatures`), and what tokens of callbacks must be like. What is below them may be secret all the same.
 */
const harmless: readonly Path[] = [
  ['backends'],
  ['buckets'],
  ['alerts', 'rules'],
  ['alerts', 'callbacks', 'token'],
];

/**
 * Formats the schema's findings for the operator: key, value, allowed values. `document` is the file before environment
 * variables were substituted: values from the environment are not shown, nor are values of keys that may hold secrets. (The path of a
 * log is, see `unwritableLog`.)
 *
 * @param isTold whether a finding is worth a line
 * @param schema the schema
 */
export function describeIssues(
  issues: readonly Issue[],
  document: unknown,
  isTold: (issue: Issue) => boolean,
  schema: z.core.$ZodType,
): string[] {
  const told = issues.flatMap(innerIssues).filter(isTold);
  return [...new Set(told.flatMap(issue => describeIssue(issue, document, schema)))];
}

/** Formats warnings for the operator; values are shown as in findings. */
export function describeWarnings(warnings: readonly ConfigWarning[], document: unknown): string[] {
  return warnings.map(
    ({ path, consequence }) => `${formatPath(path)} holds ${describeHeld(path, document)}: ${consequence}`,
  );
}

/** `['buckets', 'a.b', 'rules', 0]` → `buckets."a.b".rules[0]`. */
export function formatPath(path: Path): string {
  const parts = path.map((key, index) => {
    if (typeof key === 'number') return `[${key}]`;
    const name = String(key);
    if (looksSecret(name) || (isInSecretPlace(path.slice(0, index)) && !looksLikeKey(name)))
      return ` (${HIDDEN_KEY}, ${name.length} characters)`;
    return /^[\w-]+$/.test(name) ? `.${name}` : `.${JSON.stringify(name)}`;
  });
  return parts.join('').replace(/^\./, '') || 'the file';
}

function describeIssue(issue: Issue, document: unknown, schema: z.core.$ZodType): string[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => {
      const value = at(document, [...path, key]);
      // the value of a misspelt key may be a secret, whatever the key is called
      const isHidden = /^(?:string|number)$/.test(typeof value) || isInSecretPlace(path);
      const held = isHidden ? describeHidden(value) : describeHeld([...path, key], document);
      const known = keysOf(message);
      const hint = misspeltHint(key, known.split(', ')) || homeHint(schema, path, key);
      return `${formatUnknown(path, key, value)} is an unknown key and holds ${held}; the known keys are ${known}${hint}`;
    });
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues[0]?.message ?? message;
    return [`${formatPath(path)} is not a name that can stand here; expected ${allowed}`];
  }
  return [describeValue(issue, document)];
}

/** Of a value that fits none of several forms, what is wrong with the form that was meant. */
function innerIssues(issue: Issue): readonly Issue[] {
  const inner = issue.code === 'invalid_union' ? closestBranch(issue.errors) : undefined;
  if (!inner) return [issue];
  return inner.flatMap(each => innerIssues({ ...each, path: [...issue.path, ...each.path] }));
}

/** `{ secretAccessKey: ab, cd }` has a key `cd` without value: what follows a comma of a secret that is not quoted. */
function formatUnknown(path: Path, key: string, value: unknown): string {
  const isTail = value === null && isInSecretPlace(path);
  return isTail
    ? `${formatPath(path)} (${HIDDEN_KEY}, ${key.length} characters)`
    : formatPath([...path, key]);
}

function describeValue(issue: Issue, document: unknown): string {
  const { path, message } = issue;
  const key = formatPath(path);
  const missing = at(document, path) === undefined;
  const part = issue.code === 'custom' ? issue.params?.notBuilt : undefined;
  if (part === 'key') return `${key} asks for ${message}, which is not built yet; leave the key out`;
  const held = describeHeld(path, document);
  if (part === 'value') return `${key} holds ${held}, which is not built yet; expected ${message}`;
  return missing ? `${key} is missing; expected ${message}` : `${key} holds ${held}; expected ${message}`;
}

/**
 * The alternative that the value was meant for: the one whose errors are inside the value rather than about the value
 * as a whole.
 */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find(branch => branch.every(issue => issue.path.length > 0));
}

/** What follows the known keys where the key stands at a wrong place. */
function homeHint(schema: z.core.$ZodType, path: Path, key: string): string {
  const home = homeOf(schema, path, key);
  return home ? `; ${key} is a key of ${formatPath(home)}` : '';
}

/** The schema's message for a map is `a map of a, b, c`. */
function keysOf(message: string): string {
  return message.replace(/^a map of /, '');
}

/** What `document` has at `path`, without what may be a secret. */
export function describeHeld(path: Path, document: unknown): string {
  const value = at(document, path);
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // what is no map at all may be the whole file
  if (isSecretValue(path) || (path.length === 0 && typeof value !== 'object')) return describeHidden(value);
  if (typeof value === 'object') return describeMap(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  const { variables, files } = referencesIn(value);
  if (files.length > 0)
    return `a text with ${files.map(file => `\${file:${file}}`).join(', ')}, whose value is that of a file and is not shown`;
  if (variables.length > 0)
    return `a text with ${variables.map(shownReference).join(', ')}, whose value comes from the environment and is not shown`;
  return describeText(value);
}

/** The same of a text that refers to nothing. */
export function describeText(value: string): string {
  return looksSecret(value) ? describeSecret(value) : JSON.stringify(value);
}

/** Where a URL leads is no secret, unlike the path of a webhook. */
function describeSecret(value: string): string {
  const url = /^https?:\/\/[^@]*$/.test(value) && value.length <= LONGEST_SHOWN ? URL.parse(value) : null;
  if (!url || !/\.|^localhost$|:/.test(url.hostname)) return describeHidden(value);
  return value === url.origin ? JSON.stringify(value) : `a URL at ${url.origin}, whose rest is not shown`;
}

/** What may be shown of a secret: enough to find it in the file. */
function describeHidden(value: unknown): string {
  if (typeof value === 'string') return `${HIDDEN}, a text of ${value.length} characters`;
  if (Array.isArray(value)) return `${HIDDEN}, a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return `${HIDDEN}, a map of ${Object.keys(value).length}`;
  return `${HIDDEN}, a ${typeof value}`;
}

function describeMap(value: object): string {
  const keys = Object.keys(value).map(key => (looksLikeKey(key) && !looksSecret(key) ? key : HIDDEN_KEY));
  return `a map of ${keys.join(', ') || 'nothing'}`;
}

/** Keys of the configuration are words. */
function looksLikeKey(text: string): boolean {
  return /^[A-Za-z][A-Za-z-]{0,31}$/.test(text);
}

/** Whether the key may hold a secret, or is in a place where a misspelt or missing one may. */
function isSecretValue(path: Path): boolean {
  const key = String(path.findLast(part => typeof part === 'string'));
  return isInSecretPlace(path) && !publicKey.test(key);
}

function isInSecretPlace(path: Path): boolean {
  const place = harmless.find(each => each.every((part, index) => path[index] === part));
  // the place itself may hold a secret by mistake
  const from = place && path.length > place.length ? place.length : -1;
  return path.some(
    (part, index) => index > from && (secretPlace.includes(String(part)) || secretKey.test(String(part))),
  );
}

function at(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
