/** The `code` of an error, as Node.js and the errors of this program have it; undefined for one without. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
