import { defineConfig } from 'vitest/config';

/** Pages in a real browser: apart from the other tests, since these need Chromium and no package brings it. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    name: 'pages',
    include: ['test/pages/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
