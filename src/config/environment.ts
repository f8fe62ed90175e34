import { readFileSync } from 'node:fs';
import { errorCode } from '../base/error-code.ts';

/** The environment of the process, or a test's replacement. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value refers to a variable that is not set, or to a file that cannot be read. */
interface EnvironmentProblem {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

const reference = /\$\$\{|\$\{(?:file:([^}-][^}]*)|([A-Za-z_]\w*)(?::-([^}]*))?)\}|\$\{/g;

/**
 * Substitutes `${name}`, `${name:-default}` and `${file:path}` in every string value of a parsed document, but not in
 * keys. As in the shell, the default also replaces an empty variable, and a file is taken without the end of its last
 * line. `$${` is a literal `${`. What cannot be found stays a reference.
 */
export function substituteEnvironment(
  document: unknown,
  environment: Environment,
): { readonly value: unknown; readonly problems: readonly EnvironmentProblem[] } {
  const problems: EnvironmentProblem[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value === 'string') {
      return fill(value, environment, reason => problems.push({ path, reason }));
    }
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]));
  };
  return { value: visit(document, []), problems };
}

/** What a string of the configuration refers to: files and variables. */
export function referencesIn(text: string): { readonly files: string[]; readonly variables: string[] } {
  const found = Array.from(text.matchAll(reference));
  const group = (index: number) => found.flatMap(match => match[index] ?? []);
  return { files: group(1), variables: group(2) };
}

function fill(text: string, environment: Environment, report: (reason: string) => void): string {
  return text.replace(reference, (match: string, file?: string, name?: string, fallback?: string) => {
    if (match === '$${') return '${';
    if (file !== undefined)
      return contentOf(file, code => report(`takes ${match}, which cannot be read (${code})`)) ?? match;
    if (name === undefined) {
      report('has a "$" and "{" that begin no reference to a variable; literally they are written "$${"');
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (fallback !== undefined) return value || fallback;
    if (value === undefined)
      report(`takes ${shownReference(name)} from the environment, where it is not set`);
    return value ?? match;
  });
}

/** A reference to a variable, for messages: a secret may have been written between the braces. */
export function shownReference(name: string): string {
  const isName = name.length < 16 || /^[A-Z\d]+(?:_[A-Z\d]+)+$|^[A-Z]+$|^[a-z_]+$/.test(name);
  return isName ? `\${${name}}` : 'a variable whose name is not shown';
}

/** Of the file as it is now: variables are those of the start, but a reload reads files again. */
function contentOf(file: string, report: (code: string) => void): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    report(errorCode(error) ?? String(error));
    return undefined;
  }
}
