import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Backend, CachingBench } from './caching-bench.ts';
import type { Backends, CachingRow } from './caching-row.ts';

const backends: readonly (readonly [Backend, Backends])[] = [
  ['a store', 'stores'],
  ['a web origin', 'web origins'],
  ['a web origin, two workers', 'web origins'],
];

/** A test of each row with each backend that it is of. */
export function testRows(rows: readonly CachingRow[]): void {
  describe.each(backends)('before %s, RFC 9111', (backend, kind) => {
    let bench: CachingBench;

    beforeAll(async () => {
      bench = await CachingBench.start(backend);
    });

    afterAll(() => bench.close());

    const own = rows.filter(({ at }) => at === 'all' || at === kind);
    it.each(own.map(row => [row.paragraph, row.says, row] as const))('§%s: %s', (_paragraph, _says, row) =>
      bench.run(row),
    );
  });
}
