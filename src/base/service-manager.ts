/** What a service manager is told (sd_notify(3)). */
import { execFile } from 'node:child_process';
import type { Logger } from './logger.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface ServiceManagerOptions {
  readonly environment: Environment;
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

/**
 * Warns where a service manager has passed sockets to this process (sd_listen_fds(3)). They are not used: each worker binds
 * a socket of its own, and Node.js cannot share a passed one between threads.
 */
export function warnOfPassedSockets(environment: Environment, pid: number, logger: Logger): void {
  const { LISTEN_PID, LISTEN_FDS } = environment;
  if (LISTEN_PID === String(pid) && LISTEN_FDS)
    logger.warn('sockets were passed to the gateway (socket activation): it binds those of `listen` instead');
}

function runProgram(program: string, args: readonly string[], done: (error: Error | null) => void): void {
  execFile(program, args, { timeout: LIMIT_MS }, done);
}
