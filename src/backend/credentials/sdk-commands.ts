import { AsyncLocalStorage } from 'node:async_hooks';
import { externalDataInterceptor } from '@smithy/core/config';
import { commandOutput } from './credential-command.ts';
import type { QuestionLimits } from './question-limits.ts';

/** The limits of the question that a provider of the SDK is asked in. */
const asked = new AsyncLocalStorage<QuestionLimits>();

/**
 * Asks a provider of the SDK. The `credential_process` of any profile that it comes to ends with `limits`: the SDK runs
 * it without any. It has a hook for another `exec`, which is the same for all providers.
 */
export function askWithin<Answer>(limits: QuestionLimits, ask: () => Promise<Answer>): Promise<Answer> {
  externalDataInterceptor.interceptToken('exec', exec);
  return asked.run(limits, ask);
}

/** In place of `exec` of node:child_process; the SDK reads `stdout` of what comes back, and nothing else. */
function exec(command: string, callback: (error: unknown, output?: { readonly stdout: string }) => void) {
  const limits = asked.getStore();
  if (!limits) {
    callback(new Error('no question is asked'));
    return;
  }
  commandOutput(command, limits).then(
    stdout => callback(null, { stdout }),
    (error: unknown) => callback(error),
  );
}
