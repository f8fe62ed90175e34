import { defineConfig } from 'vitest/config';

/** What the gateway is installed with, checked by the tools it is for: apart from the other tests, which need npm alone. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'packaging',
    include: ['test/packaging/**/*.test.ts'],
    environment: 'node',
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
