import { vi } from 'vitest';

const atomics: Record<'load' | 'add' | 'sub' | 'store' | 'or' | 'and', (...values: never[]) => unknown> =
  Atomics;

/** Runs `work`, and `between` before its atomic operation number `at`, as another thread might; says whether it came to that one. */
export function interrupt(at: number, work: () => void, between: () => void): boolean {
  let operations = 0;
  for (const name of ['load', 'add', 'sub', 'store', 'or', 'and'] as const) {
    const operate = atomics[name];
    vi.spyOn(atomics, name).mockImplementation((...values) => {
      if (operations++ === at) between();
      return operate(...values);
    });
  }
  work();
  vi.restoreAllMocks();
  return operations > at;
}
