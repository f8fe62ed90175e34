import type { ConfigWarning } from './config-warning.ts';

/**
 * Warns of texts that look like variables of a shell, such as `$NAME`: they are taken as they stand.
 *
 * @param written the file before environment variables were substituted
 */
export function* variableWarnings(
  written: unknown,
  path: readonly PropertyKey[] = [],
): Generator<ConfigWarning> {
  if (typeof written === 'string' && /^\$[A-Za-z_]\w*$/.test(written)) {
    const consequence = `it is taken as it stands; a variable of the environment is written "\${NAME}"`;
    yield { path, consequence };
  }
  if (typeof written !== 'object' || written === null) return;
  for (const [key, value] of Object.entries(written))
    yield* variableWarnings(value, [...path, Array.isArray(written) ? Number(key) : key]);
}
