import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { batchedSink } from '../base/log-sinks.ts';
import type { LogSink } from '../base/logger.ts';
import { Rpc } from '../base/rpc.ts';

/** This module's thread was not started by a supervisor. */
export class NoSupervisorError extends Error {
  readonly code = 'NO_SUPERVISOR';
}

/** The thread's side of a `SupervisedThread`. */
export interface JoinedThread {
  readonly rpc: Rpc;
  /** `workerData`, as the supervisor's `data()` gave it. */
  readonly data: unknown;
  /** Where this thread's lines go: the supervisor alone writes. */
  readonly logSink: LogSink;
  /** Tells the supervisor that the thread is up. */
  ready(info: unknown): void;
  /** `finish` is called once, when the thread is told to end, with how long it may take; then the thread ends. */
  onDrain(finish: (limitMs: number) => Promise<void>): void;
}

/** Joins the supervisor that started this thread. @throws NoSupervisorError on a main thread */
export function joinSupervisor(): JoinedThread {
  if (!parentPort) throw new NoSupervisorError('this module runs in a thread of the supervisor');
  const port = parentPort;
  const rpc = new Rpc(port);
  // thread-watch.ts
  rpc.serve({ ping: () => undefined });
  const logSink = batchedSink({ clock: systemClock, send: lines => rpc.notify('log', lines) });
  process.once('exit', () => logSink.flush());
  return {
    rpc,
    data: workerData,
    logSink,
    ready: info => rpc.notify('ready', info),
    onDrain: finish => {
      rpc.serve({
        drain: async (limitMs: number) => {
          await finish(limitMs);
          logSink.flush();
          port.close();
          process.exit();
        },
      });
    },
  };
}
