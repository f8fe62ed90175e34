import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], testTimeoutMs: number) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    testTimeout: testTimeoutMs,
    hookTimeout: testTimeoutMs,
  },
});

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts'], 30_000),
      project('contract', ['test/contract/**/*.test.ts'], 60_000),
      project('integration', ['test/integration/**/*.test.ts'], 120_000),
    ],
  },
});
