/** The header fields of a request that the access log shows. */
interface LoggedFields {
  readonly userAgent: string | undefined;
  readonly referer: string | undefined;
  readonly range: string | undefined;
}

const letterU = 'u'.charCodeAt(0);
const letterR = 'r'.charCodeAt(0);

/** The first of each, as received. @param raw names and values alternating */
export function loggedFields(raw: readonly string[]): LoggedFields {
  let [userAgent, referer, range] = [undefined, undefined, undefined] as (string | undefined)[];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const first = name.charCodeAt(0) | 0x20;
    if (first === letterU) {
      if (name.length === 10 && name.toLowerCase() === 'user-agent') userAgent ??= raw[index + 1];
    } else if (first === letterR) {
      if (name.length === 5 && name.toLowerCase() === 'range') range ??= raw[index + 1];
      else if (name.length === 7 && name.toLowerCase() === 'referer') referer ??= raw[index + 1];
    }
  }
  return { userAgent, referer, range };
}
