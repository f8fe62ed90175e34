import { defineConfig } from 'vitest/config';

/** A gateway between a client and a store that send what they should not, for TIDEGATE_FUZZ_SECONDS. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'fuzz',
    include: ['test/fuzz/**/*.test.ts'],
    environment: 'node',
    hookTimeout: 60_000,
  },
});
