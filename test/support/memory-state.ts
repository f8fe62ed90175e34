import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../src/alerts/state-schema.ts';

/** A state database that lives as long as the test. */
export function memoryState(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const migration of migrations) database.exec(migration);
  return database;
}
