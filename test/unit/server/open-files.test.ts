import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientConnectionsPerWorker, openFileLimit } from '../../../src/server/open-files.ts';

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
  { limit: 1_000_000, stores: 128, workers: 1, clients: 999_776 },
  { limit: 1_024, stores: 256, workers: 2, clients: 336 },
  { limit: 256, stores: 128, workers: 1, clients: 80 },
  { limit: 64, stores: 128, workers: 4, clients: 8 },
])('of $limit files, with $stores connections to stores, a worker of $workers has room for $clients', row => {
  expect(clientConnectionsPerWorker(row.limit, row.stores, row.workers)).toBe(row.clients);
});
