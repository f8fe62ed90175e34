import { defineConfig } from 'vitest/config';

/** Threads over the shared tables of the cache, for TIDEGATE_STRESS_SECONDS. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'stress',
    include: ['test/stress/**/*.test.ts'],
    environment: 'node',
  },
});
