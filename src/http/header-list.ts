/** Header lines as received: names and values alternating, like `rawHeaders` of node:http. */
export type HeaderList = readonly string[];

/** The name and value of each line, in order. */
export function* headerLines(list: HeaderList): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index + 1 < list.length; index += 2) yield [list[index] ?? '', list[index + 1] ?? ''];
}

/**
 * The value of a header by its lower-case name; undefined when absent. Repeated lines are joined with commas (RFC 9110
 * §5.3).
 */
export function headerValue(list: HeaderList, lowerCaseName: string): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index + 1 < list.length; index += 2) {
    const name = list[index] ?? '';
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue;
    const value = list[index + 1] ?? '';
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined;
}
