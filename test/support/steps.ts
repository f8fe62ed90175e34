import type { Steps } from '../../src/base/sliced-work.ts';

/** The result of work in steps, done at once. */
export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
