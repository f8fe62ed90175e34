// @ts-check
/** Reads the names of records (`recordName` of cache/record.ts): which requests get this record and no other. */

/**
 * What the requests for a record have in common; undefined where they leave it out.
 * @typedef {object} RecordRequests
 * @property {string} [method] where GET and HEAD have records of their own
 * @property {string} [versionId]
 * @property {string} [origin]
 * @property {string} [expectedBucketOwner]
 * @property {string} [requestPayer]
 */

const DIGEST_LENGTH = 44;
const LONG_TEXT = '(a long text)';

/**
 * @param {string} name
 * @returns {RecordRequests}
 */
export function readRecordName(name) {
  const parts = partsOf(name);
  // the name of a record for GET only holds the common name
  if (parts.length === 2) return { ...readRecordName(parts[1] ?? ''), method: 'GET' };
  const [versionId, method, origin, expectedBucketOwner, requestPayer] = parts;
  const given = Object.entries({ method, versionId, origin, expectedBucketOwner, requestPayer });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/**
 * Each part is `-`, a digest after `#`, or a text after its length and a colon.
 * @param {string} name
 */
function partsOf(name) {
  /** @type {(string | undefined)[]} */
  const parts = [];
  for (let at = 0; at < name.length; ) {
    const [prefix = '', length] = /^(?:-|#|(\d+):)/.exec(name.slice(at)) ?? [];
    if (prefix === '') break;
    at += prefix.length;
    if (prefix === '-') parts.push(undefined);
    else if (prefix === '#') {
      parts.push(LONG_TEXT);
      at += DIGEST_LENGTH - 1;
    } else {
      parts.push(name.slice(at, at + Number(length)));
      at += Number(length);
    }
  }
  return parts;
}
