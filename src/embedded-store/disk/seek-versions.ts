import type { Catalogue } from './catalogue.ts';
import type { Seek } from './listing.ts';
import { type StoredObject, type StoredVersion, versionOf } from './versions.ts';

/** Every version and delete marker of a bucket. */
export function seekVersions(catalogue: Catalogue, bucket: string): Seek<StoredVersion> {
  return ({ key, belowRowId }) => {
    const ofSameKey =
      belowRowId > 0 &&
      catalogue.get(
        'SELECT * FROM versions WHERE bucket = ? AND key = ? AND id < ? ORDER BY id DESC LIMIT 1',
        bucket,
        key,
        belowRowId,
      );
    const row =
      ofSameKey ||
      catalogue.get(
        'SELECT * FROM versions WHERE bucket = ? AND key > ? ORDER BY key, id DESC LIMIT 1',
        bucket,
        key,
      );
    return row && versionOf(row);
  };
}

/** The current objects of a bucket: keys whose latest version is not a delete marker. */
export function seekCurrent(catalogue: Catalogue, bucket: string): Seek<StoredObject> {
  return ({ key, belowRowId }) => {
    const row = catalogue.get(
      `SELECT * FROM versions WHERE bucket = ?1 AND is_latest = 1 AND is_marker = 0
       AND key >= ?2 AND (key > ?2 OR id < ?3) ORDER BY key LIMIT 1`,
      bucket,
      key,
      belowRowId,
    );
    const version = row && versionOf(row);
    return version?.kind === 'object' ? version : undefined;
  };
}
