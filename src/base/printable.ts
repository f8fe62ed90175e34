/**
 * Characters that a terminal obeys instead of showing: control characters, those that change the direction of text
 * (Unicode TR36 §2.9), invisible marks, and halves of surrogate pairs.
 */
const notShown = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Cs}]/gu;

/**
 * `text` with those characters as `\u001b` and the like, so that names which strangers chose cannot change what a
 * terminal shows. Texts that were JSON stay JSON.
 */
export function printableLine(text: string): string {
  return text.replace(notShown, escaped);
}

/** The same, but lines stay lines. */
export function printable(text: string): string {
  return text.split('\n').map(printableLine).join('\n');
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
