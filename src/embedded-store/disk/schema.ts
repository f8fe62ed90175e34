/**
 * The tables of the catalogue. Keys are blobs, so that they compare byte by byte (the order of listings), and a range
 * can end with a byte greater than any in UTF-8. `id` increases with every version and orders the versions of a key.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS buckets (
    name TEXT PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    settings TEXT NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    bucket TEXT NOT NULL REFERENCES buckets,
    key BLOB NOT NULL,
    version_id TEXT NOT NULL,
    is_latest INTEGER NOT NULL,
    is_marker INTEGER NOT NULL,
    last_modified_ms INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    storage_class TEXT NOT NULL,
    attributes TEXT NOT NULL,
    UNIQUE (bucket, key, version_id)
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS latest_versions ON versions (bucket, key) WHERE is_latest = 1;
  CREATE INDEX IF NOT EXISTS all_versions ON versions (bucket, key, id DESC);

  CREATE TABLE IF NOT EXISTS pieces (
    version INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    part_number INTEGER NOT NULL,
    first_byte INTEGER NOT NULL,
    size INTEGER NOT NULL,
    blob_id TEXT NOT NULL,
    nonce BLOB,
    checksum TEXT,
    PRIMARY KEY (version, part_number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS piece_blobs ON pieces (blob_id);

  CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY,
    bucket TEXT NOT NULL REFERENCES buckets,
    key BLOB NOT NULL,
    initiated_ms INTEGER NOT NULL,
    plan TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS uploads_by_key ON uploads (bucket, key);

  CREATE TABLE IF NOT EXISTS upload_parts (
    upload TEXT NOT NULL REFERENCES uploads ON DELETE CASCADE,
    part_number INTEGER NOT NULL,
    last_modified_ms INTEGER NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    nonce BLOB,
    checksum TEXT NOT NULL,
    PRIMARY KEY (upload, part_number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS upload_blobs ON upload_parts (blob_id);
`;
