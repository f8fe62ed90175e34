/** The configuration cannot be used. Each problem is one line: the key, its value and the allowed values. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[], options?: ErrorOptions) {
    super([`${source} cannot be used:`, ...problems.map(problem => `  ${problem}`)].join('\n'), options);
    this.problems = problems;
  }
}
