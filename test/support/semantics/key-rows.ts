/** Rows of docs/semantics.md, section 11, about keys as they stand in a request's path. */
type KeyRow = readonly [row: number, rawKey: string, otherRawKey: string];

/** Two spellings of one key. */
export const spellingsOfOneKey: KeyRow[] = [
  [218, 'a%2Fb', 'a/b'],
  [219, 'test%25123', 'test%25123'],
  [220, 'one+two', 'one%2Btwo'],
  [221, 'test%40key/', 'test@key/'],
  [222, '/leading', '%2Fleading'],
  [223, 'a//b', 'a//b'],
  [224, 'trailing/', 'trailing%2F'],
  [225, 'a/../b', 'a/%2E%2E/b'],
  [225, './a', '%2E/a'],
  [226, 'a/%F0%9F%98%80/', 'a/%f0%9f%98%80/'],
  [227, 'a%20%22%26%3C%25', 'a%20%22&%3C%25'],
];

/** Spellings that are two keys, though similar. */
export const spellingsOfTwoKeys: KeyRow[] = [
  [218, 'x%2Fy', 'x%252Fy'],
  [221, 'test@other/', 'test%2540other/'],
  [222, '/one', 'one'],
  [223, 'p//q', 'p/q'],
  [224, 'foo/', 'foo'],
  [225, 'd/../e', 'e'],
  [226, 'caf%C3%A9', 'cafe%CC%81'],
];

/** Row 228: spellings of no key. */
export const malformedKeys: string[] = ['%zz', 'a%', '%ff%fe', '%C3'];

/** The error of a malformed key. */
export const malformedKeyError = { code: 'InvalidURI', message: "Couldn't parse the specified URI." };

/** Row 217: a key of 1024 bytes, the longest; one byte more is refused with `keyTooLongError`. */
export const longestRawKey = encodeURIComponent('ü'.repeat(512));

export const keyTooLongError = {
  code: 'KeyTooLongError',
  message: 'Your key is too long',
  fields: { Size: '1025', MaxSizeAllowed: '1024' },
};
