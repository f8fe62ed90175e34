/**
 * What brings the state file from each version to the next, oldest first. Files out there remember how many
 * they have had: entries are added at the end and never changed.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE silence (
     id TEXT PRIMARY KEY,
     rule TEXT,
     labels TEXT NOT NULL,
     until_ms INTEGER NOT NULL,
     created_at_ms INTEGER NOT NULL,
     created_by TEXT NOT NULL,
     reason TEXT NOT NULL
   ) STRICT;
   CREATE TABLE open_alert (
     fingerprint TEXT PRIMARY KEY,
     record TEXT NOT NULL
   ) STRICT;`,
];
