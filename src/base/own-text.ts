/**
 * The same text in memory of its own, for what is kept: V8 cuts no part out of a text without keeping all of it, and a request
 * target may be long.
 */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}
