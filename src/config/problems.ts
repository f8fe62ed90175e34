import type { z } from 'zod';
import { namesEnvironment } from './environment.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Keys whose values are secrets, or may be one. */
const SECRET_KEY = /secret|token|password|accesskey|sig|^url$/i;

const HIDDEN = 'a value that is not shown';

/** Where a misspelt key most likely holds a secret. */
const SECRET_PLACE = ['credentials', 'clients'];

/**
 * The schema's findings as lines for the operator: key, what it holds, what it may hold.
 * `document` is the file as written, before the environment was filled in: what came from there is not shown,
 * and neither is what stands under a key that sounds secret.
 */
export function describeIssues(issues: readonly Issue[], document: unknown): string[] {
  return [...new Set(issues.flatMap(issue => describeIssue(issue, document)))];
}

/** `['buckets', 'a.b', 'rules', 0]` → `buckets."a.b".rules[0]`. */
export function formatPath(path: Path): string {
  const parts = path.map(key => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[\w-]+$/.test(String(key)) ? `.${String(key)}` : `.${JSON.stringify(String(key))}`;
  });
  return parts.join('').replace(/^\./, '') || 'the file';
}

function describeIssue(issue: Issue, document: unknown): string[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => {
      const secret = path.some(part => SECRET_PLACE.includes(String(part)));
      const held = secret ? HIDDEN : describeHeld([...path, key], document);
      return `${formatPath([...path, key])} is no known key and holds ${held}; the keys here: ${keysOf(message)}`;
    });
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues[0]?.message ?? message;
    return [`${formatPath(path)} is not a name that can stand here; it may be one of ${allowed}`];
  }
  if (issue.code === 'invalid_union') {
    const inner = closestBranch(issue.errors);
    if (inner)
      return inner.flatMap(each => describeIssue({ ...each, path: [...path, ...each.path] }, document));
  }
  return [describeValue(issue, document)];
}

function describeValue(issue: Issue, document: unknown): string {
  const { path, message } = issue;
  const key = formatPath(path);
  const missing = at(document, path) === undefined;
  const part = issue.code === 'custom' ? issue.params?.notBuilt : undefined;
  if (part === 'key') return `${key} asks for ${message}, which is not built yet; leave the key out`;
  const held = describeHeld(path, document);
  if (part === 'value') return `${key} holds ${held}, which is not built yet; it may hold ${message}`;
  return missing
    ? `${key} is missing; it may hold ${message}`
    : `${key} holds ${held}; it may hold ${message}`;
}

/** The alternative that the value was meant for: the one whose complaints lie inside it rather than at its door. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find(branch => branch.every(issue => issue.path.length > 0));
}

/** The schema's message for a map is `a map of a, b, c`. */
function keysOf(message: string): string {
  return message.replace(/^a map of /, '');
}

function describeHeld(path: Path, document: unknown): string {
  const value = at(document, path);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return `a map of ${Object.keys(value).join(', ') || 'nothing'}`;
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string' && namesEnvironment(value)) {
    return `${JSON.stringify(value)}, whose value comes from the environment and is not shown`;
  }
  if (path.some(key => SECRET_KEY.test(String(key)))) return HIDDEN;
  return JSON.stringify(value);
}

function at(document: unknown, path: Path): unknown {
  let value = document;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
