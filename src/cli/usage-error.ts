/** A command was given something that it cannot take. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}
