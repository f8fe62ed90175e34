import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { batchedSink } from '../base/log-sinks.ts';
import type { LogSink } from '../base/logger.ts';
import { Rpc } from '../base/rpc.ts';

/** The module does not run in a thread of a supervisor. */
class NoSupervisorError extends Error {
  readonly code = 'NO_SUPERVISOR';
}

/** The thread's side of a `SupervisedThread`. */
export interface JoinedThread {
  readonly rpc: Rpc;
  /** `workerData`, as returned by the supervisor's `data()`. */
  readonly data: unknown;
  /** Passes this thread's log lines to the supervisor, which alone writes the log. */
  readonly logSink: LogSink;
  /** Tells the supervisor that the thread is up. */
  ready(info: unknown): void;
  /**
   * `finish` is called once, with the time limit, when the supervisor asks the thread to end; the thread ends when it
   * resolves.
   */
  onDrain(finish: (limitMs: number) => Promise<void>): void;
}

/** Connects to the supervisor that started this thread. @throws NoSupervisorError on a main thread */
export function joinSupervisor(): JoinedThread {
  if (!parentPort) throw new NoSupervisorError('this module must run in a thread of the supervisor');
  const port = parentPort;
  const rpc = new Rpc(port);
  // answers the health check of thread-watch.ts
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
