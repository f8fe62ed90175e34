// @ts-check
/** @typedef {{ readonly bucket: string, readonly key?: string, readonly versionId?: string }} NamedObject */

/**
 * The address of the page that looks up an object; without a key the reader enters it there.
 * @param {NamedObject} object
 */
export function objectPage({ bucket, key, versionId }) {
  const query = new URLSearchParams({ bucket });
  if (key !== undefined) query.set('key', key);
  if (versionId !== undefined) query.set('version', versionId);
  return `/objects?${query}`;
}
