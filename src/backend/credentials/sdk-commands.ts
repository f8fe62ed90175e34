import { AsyncLocalStorage } from 'node:async_hooks';
import { externalDataInterceptor } from '@smithy/core/config';
import { commandOutput } from './credential-command.ts';
import type { QuestionLimits } from './question-limits.ts';

/** The limits of the request during which a provider of the SDK runs. */
const asked = new AsyncLocalStorage<QuestionLimits>();

/**
 * Asks a provider of the SDK. A `credential_process` command of any profile that it reads is killed at the end of
 * `limits`; the SDK itself sets no limit. The SDK has one hook for replacing `exec`, shared by all providers.
 */
export function askWithin<Answer>(limits: QuestionLimits, ask: () => Promise<Answer>): Promise<Answer> {
  externalDataInterceptor.interceptToken('exec', exec);
  return asked.run(limits, ask);
}

/** Replaces `exec` of node:child_process; the SDK reads only `stdout` of the result. */
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
