/** Header lines as received: names and values alternating, like `rawHeaders` of node:http. */
export type HeaderList = readonly string[];

/** Calls `visit` with each line, in order; many times cheaper than `headerLines`, which counts where each answer of a store is read. */
export function eachHeaderLine(list: HeaderList, visit: (name: string, value: string) => void): void {
  for (let index = 0; index + 1 < list.length; index += 2) visit(list[index] ?? '', list[index + 1] ?? '');
}

/** The name and value of each line, in order. */
export function* headerLines(list: HeaderList): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index + 1 < list.length; index += 2) yield [list[index] ?? '', list[index + 1] ?? ''];
}

/** Characters that a header value must not contain (RFC 9110 §5.5); node:http refuses the same. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;
const notToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;

/** Whether a header line may consist of them (RFC 9110 §5.1, §5.5). A value is a string of Latin-1 bytes. */
export function isHeaderLine(name: string, value: string): boolean {
  return name !== '' && !notToken.test(name) && !forbidden.test(value);
}

/** Header lines in wire format; undefined when a name or value contains a character that is not allowed. */
export function headerText(raw: HeaderList): string | undefined {
  let text = '';
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    if (!isHeaderLine(name, value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/**
 * The same lines with Content-Length last: node:http treats those after it as text, and would change the bytes of a
 * Content-Disposition that is not ASCII, or refuse them (docs/semantics.md 190).
 */
export function lengthLast(raw: HeaderList): string[] {
  const others: string[] = [];
  const lengths: string[] = [];
  eachHeaderLine(raw, (name, value) => {
    (name.toLowerCase() === 'content-length' ? lengths : others).push(name, value);
  });
  return others.concat(lengths);
}
