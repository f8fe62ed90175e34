/** A token (RFC 9110 §5.6.2), such as the name of a header field. */
export function isToken(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}
