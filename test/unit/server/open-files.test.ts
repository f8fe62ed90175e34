import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFileLimit, shareFiles } from '../../../src/server/open-files.ts';

it('reads the soft limit of the process, and knows none where there is no such file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-limits-'));
  const file = join(directory, 'limits');
  writeFileSync(
    file,
    'Max cpu time  unlimited unlimited seconds\nMax open files            256       4096       files\n',
  );
  expect(openFileLimit(file)).toBe(256);
  expect(openFileLimit(join(directory, 'none'))).toBeUndefined();
  rmSync(directory, { recursive: true });
});

it.each([
  { limit: 1_000_000, stores: 128, workers: 1, clients: 999_776, share: 1 },
  { limit: 1_024, stores: 256, workers: 2, clients: 336, share: 1 },
  { limit: 256, stores: 128, workers: 1, clients: 80, share: 80 / 128 },
  { limit: 64, stores: 128, workers: 4, clients: 8, share: 0 },
  { limit: 1_024, stores: 0, workers: 1, clients: 928, share: 1 },
])('of $limit files, with $stores connections to stores, a worker of $workers has room for $clients', row => {
  const shares = shareFiles(row.limit, row.stores, row.workers);
  expect(shares).toEqual({ clientsPerWorker: row.clients, storeShare: row.share });
});
