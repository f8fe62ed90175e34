/** Header lines as received: names and values alternating, like `rawHeaders` of node:http. */
export type HeaderList = readonly string[];

/** The name and value of each line, in order. */
export function* headerLines(list: HeaderList): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index + 1 < list.length; index += 2) yield [list[index] ?? '', list[index + 1] ?? ''];
}
