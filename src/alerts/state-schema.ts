/**
 * The migrations of the state file, oldest first. Existing files store how many were applied: only append, never change
 * an entry.
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
  `CREATE TABLE card (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     channel TEXT NOT NULL,
     dedupe_key TEXT NOT NULL,
     state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'dead')),
     rule TEXT NOT NULL,
     kind TEXT NOT NULL,
     critical INTEGER NOT NULL,
     notification TEXT NOT NULL,
     queued_at_ms INTEGER NOT NULL,
     settled_at_ms INTEGER,
     attempts INTEGER NOT NULL DEFAULT 0,
     alone INTEGER NOT NULL DEFAULT 0,
     shrunk INTEGER NOT NULL DEFAULT 0,
     reason TEXT,
     UNIQUE (channel, dedupe_key)
   ) STRICT;
   CREATE INDEX card_waiting ON card (channel, id) WHERE state = 'waiting';
   CREATE TABLE slot (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     channel TEXT NOT NULL,
     taken_at_ms INTEGER NOT NULL,
     replied_at_ms INTEGER
   ) STRICT;
   CREATE INDEX slot_replied ON slot (channel, replied_at_ms);
   CREATE TABLE slot_clock (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     steady_ms INTEGER NOT NULL,
     wall_ms INTEGER NOT NULL
   ) STRICT;`,
  `CREATE TABLE callback_key (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     secret BLOB NOT NULL
   ) STRICT;
   CREATE TABLE used_ticket (
     nonce TEXT PRIMARY KEY,
     expires_at_s INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE card_act (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     record TEXT NOT NULL
   ) STRICT;`,
];
