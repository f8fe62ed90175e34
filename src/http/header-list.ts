/** Header lines as they were received: names and values alternating (`rawHeaders` of node:http). */
export type HeaderList = readonly string[];

/** Name and value of each line, in order. */
export function* headerLines(list: HeaderList): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index + 1 < list.length; index += 2) yield [list[index] ?? '', list[index + 1] ?? ''];
}

/**
 * The value of a header by its lower-case name; undefined when it is absent. Several lines of one name are one list
 * (RFC 9110 §5.3).
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
