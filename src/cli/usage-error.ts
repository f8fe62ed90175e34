/** Invalid arguments of a command. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}
