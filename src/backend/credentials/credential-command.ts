import { spawn } from 'node:child_process';
import { checkedCredentials } from './checked-credentials.ts';
import type { ProvidedCredentials } from './credential-source.ts';
import { onLimit, type QuestionLimits } from './question-limits.ts';

/** Credentials take a few kilobytes. */
const OUTPUT_LIMIT_BYTES = 64 * 1024;

/** A command gave no credentials. The message has nothing of what it printed. */
class CredentialCommandError extends Error {
  readonly code = 'COMMAND_FAILED';
}

/**
 * Runs a command line, see `commandOutput`, and reads the credentials that it prints
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html).
 *
 * @throws CredentialCommandError, and as `checkedCredentials`
 */
export async function runCredentialCommand(
  command: string,
  limits: QuestionLimits,
): Promise<ProvidedCredentials> {
  return readCredentials(await commandOutput(command, limits));
}

/**
 * Runs a command line in the shell, as `credential_process` of the shared files is run. Its standard error is
 * discarded, since it may contain secrets. When the request is aborted or the gateway ends, the command is killed
 * together with all processes that it has started.
 *
 * @throws CredentialCommandError
 */
export function commandOutput(command: string, limits: QuestionLimits): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // a group of its own, so that the whole of it can be ended
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  const end = (why: string) => {
    reject(new CredentialCommandError(why));
    endGroup(child.pid);
    child.stdout.destroy();
  };
  const endWithProcess = () => endGroup(child.pid);
  process.once('exit', endWithProcess);
  const limit = onLimit(limits, why => end(`the command ${why}`));
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    lengthBytes += chunk.length;
    if (lengthBytes > OUTPUT_LIMIT_BYTES) end('the command printed too much');
  });
  child.once('error', () => reject(new CredentialCommandError('the shell cannot be started')));
  child.once('close', (code, signal) => {
    if (code === 0) resolve(Buffer.concat(chunks).toString());
    else reject(new CredentialCommandError(`the command ended with ${signal ?? `exit code ${code}`}`));
  });
  return promise.finally(() => {
    limit.cancel();
    process.off('exit', endWithProcess);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}

/** @throws CredentialCommandError, and as `checkedCredentials` */
function readCredentials(output: string): ProvidedCredentials {
  const printed = parsed(output);
  if (printed.Version !== 1) throw new CredentialCommandError('the command did not print "Version": 1');
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration, AccountId } = printed;
  return checkedCredentials({
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
    expiration: isNone(Expiration) ? undefined : new Date(String(Expiration)),
    accountId: AccountId,
  });
}

const isNone = (value: unknown) => value === undefined || value === null;

function parsed(output: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // the parser's message quotes the text
  }
  throw new CredentialCommandError('what the command printed is not JSON');
}
