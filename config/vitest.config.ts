import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** For the processes that tests start: compiled sources are kept, as most of a start is reading them. */
const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'tidegate-compiled') };

const project = (name: string, include: string[], testTimeoutMs: number) => ({
  test: {
    name,
    include,
    environment: 'node' as const,
    env,
    testTimeout: testTimeoutMs,
    hookTimeout: testTimeoutMs,
    // instead of 1 s: a busy machine may take longer for what is still to come, and a shorter limit proves nothing
    expect: { poll: { timeout: (testTimeoutMs * 2) / 3 } },
  },
});

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // instead of one core less: much of the time is waiting for other processes
    maxWorkers: '100%',
    projects: [
      project('unit', ['test/unit/**/*.test.ts', 'test/property/**/*.test.ts'], 30_000),
      project('contract', ['test/contract/**/*.test.ts'], 60_000),
      project('integration', ['test/integration/**/*.test.ts'], 120_000),
    ],
  },
});
