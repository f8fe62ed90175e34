/** What a service manager is told (sd_notify(3)). */
import { execFile } from 'node:child_process';
import type { Logger } from './logger.ts';

interface ServiceManagerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Runs a program without waiting for it; `done` gets the error that it ended with, if any. */
  readonly run?: (program: string, args: readonly string[], done: (error: Error | null) => void) => void;
}

const LIMIT_MS = 10_000;

/**
 * Says that the service is ready, where a service manager asked for it: with `Type=notify`, systemd sets NOTIFY_SOCKET.
 * That is a Unix datagram socket, which Node does not have, so systemd-notify(1), a part of systemd, sends the message.
 */
export function announceReady({ environment, logger, run = runProgram }: ServiceManagerOptions): void {
  if (!environment.NOTIFY_SOCKET) return;
  run('systemd-notify', ['--ready', '--status=serving'], error => {
    if (error) logger.warn({ reason: error.message }, 'the service manager was not told of readiness');
  });
}

function runProgram(program: string, args: readonly string[], done: (error: Error | null) => void): void {
  execFile(program, args, { timeout: LIMIT_MS }, done);
}
