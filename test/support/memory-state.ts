import type { DatabaseSync } from 'node:sqlite';
import { openMemoryDatabase } from '../../src/alerts/state-database.ts';

/** A state database that lives as long as the test. */
export function memoryState(): DatabaseSync {
  return openMemoryDatabase();
}
