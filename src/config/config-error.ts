/** The configuration cannot be used; each problem is a line that names the key, what it holds and what it may hold. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[], options?: ErrorOptions) {
    super([`${source} cannot be used:`, ...problems.map(problem => `  ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}
