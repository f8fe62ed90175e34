/** `text` without the spaces and tabs around it, which alone mean nothing there (OWS, RFC 9110 §5.6.3). `trim` takes others, too. */
export function withoutWhiteSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
