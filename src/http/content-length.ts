/**
 * Parses a Content-Length (RFC 9110 §8.6). Undefined when it is missing, malformed or above 2^53 - 1, where numbers
 * lose precision.
 */
export function parseContentLength(header: string | undefined): number | undefined {
  const length = header !== undefined && /^\d+$/.test(header) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(length) ? length : undefined;
}
