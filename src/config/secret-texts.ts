/** Keys whose values are or may be secrets. */
export const secretKey =
  /secret|token|passw|pgpass|(?<![a-z])pass(?![a-z])|pwd|\bpw\b|access.?key|api.?key|private.?key|auth(?!ors?\b)|credential|(?<![a-z])sig|signature/i;

/** `token:abc`, where YAML wants a blank behind the colon, or a line of another kind of file. */
const secretAssigned = new RegExp(`(?:${secretKey.source})[\\w-]*["']?\\s*[:=]`, 'i');

/** Nothing longer is a word, a name or an address. */
export const LONGEST_SHOWN = 1_024;

export const HIDDEN_KEY = 'a key that is not shown';
const HIDDEN_NAME = 'a name that is not shown';

/** A name that is to be chosen from, of a backend say, unless a secret was written in its place. */
export function shownName(name: string): string {
  return looksSecret(name) ? `(${HIDDEN_NAME}, ${name.length} characters)` : name;
}

/**
 * A secret may also stand in the wrong place: texts that are long and mixed, or have a user name with a password, are never shown;
 * words and numbers are, such as the names of buckets and hosts. A "/" may belong to a password or a key.
 */
export function looksSecret(text: string): boolean {
  // patterns would take long, too
  if (text.length > LONGEST_SHOWN) return true;
  if (/:.*@|[?&;][^=&;\s]*=/s.test(text) || secretAssigned.test(text) || forms.some(form => form.test(text)))
    return true;
  // the parts of a path are looked at alone
  const ends = /^[.]{0,2}\/[^+=]*$/.test(text) ? /[.:/_-]/ : /[.:]/;
  return text.split(ends).some(isLongAndMixed) || isPassword(text);
}

/** A UUID, and the secret access key of Amazon, which may look like a path. */
const forms = [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i, /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z\d/+]{40}$/];

/** Characters of all kinds, of which some are in no name and no address. */
function isPassword(text: string): boolean {
  return /^\S{12,}$/.test(text) && [/[!#$%&^~]/, /\d/, /[a-z]/, /[A-Z]/].every(kind => kind.test(text));
}

/** Words, of which some are counted, and numbers, up to those of accounts and days. */
const words = /^\/*(?:[a-z]{1,15}\d{0,2}|\d{1,8}|\d{12})(?:[-_/](?:[a-z]{1,15}\d{0,2}|\d{1,8}|\d{12}))*\/?$/;

function isLongAndMixed(text: string): boolean {
  return !words.test(text) && /[A-Za-z0-9+/=_-]{16,}/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);
}
