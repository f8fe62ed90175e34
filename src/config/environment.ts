/** The environment of the process, or a test's replacement. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value in the file refers to a variable that is not set. */
interface EnvironmentProblem {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

const reference = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{/g;

/**
 * Substitutes `${name}` and `${name:-default}` in every string value of a parsed document, but not in keys. As in the
 * shell, the default also replaces an empty variable. `$${` is a literal `${`.
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

/** The variables that a string of the file refers to. */
export function environmentNames(text: string): string[] {
  return Array.from(text.matchAll(reference)).flatMap(([, name]) => (name === undefined ? [] : [name]));
}

function fill(text: string, environment: Environment, report: (reason: string) => void): string {
  return text.replace(reference, (match: string, name?: string, fallback?: string) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      report('has a "$" and "{" that begin no reference to a variable; literally they are written "$${"');
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (fallback !== undefined) return value || fallback;
    if (value === undefined) report(`takes \${${name}} from the environment, where it is not set`);
    return value ?? '';
  });
}
