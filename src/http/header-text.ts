/** What a header value may not hold (RFC 9110 §5.5): node:http refuses the same. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;
const notToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Header lines as they go onto the wire; undefined when a name or value is none that may go there. */
export function headerText(raw: readonly string[]): string | undefined {
  let text = '';
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    if (name === '' || notToken.test(name) || forbidden.test(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/**
 * `text` as one run of characters. V8 keeps a sum of strings as a tree of its pieces, and walks it each time that it is
 * written somewhere.
 *
 * @param text of characters up to U+00FF.
 */
export function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
