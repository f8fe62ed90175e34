import type { Server } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { shrinkBacklog } from '../transport/shrink-backlog.ts';

export interface AcceptOptions {
  readonly clock: Clock;
  /** Connections are accepted for at least this time; 0 when left out. */
  readonly graceMs?: number;
  /** New connections may come faster than they are accepted, so `close` is called after this time at the latest. */
  readonly limitMs?: number;
}

const ACCEPT_LIMIT_MS = 1_000;

/** Nor before so many turns: one may take longer than the limit, and what has connected meanwhile waits. */
const LEAST_TURNS = 20;

/** A turn without much to do. */
const SHORT_TURN_MS = 1;

/**
 * Calls `close` once nothing is left in the accept queue of a listening socket: closing the socket resets what is in it.
 * A turn of the event loop accepts one connection, so the queue was empty at the beginning of a turn without one. What connects
 * while that turn handles other events is in the queue at its end, so it has to be a short one.
 */
export function onceAccepted(server: Server, options: AcceptOptions, close: () => void): void {
  const { clock, graceMs = 0, limitMs = ACCEPT_LIMIT_MS } = options;
  let hasAccepted = true;
  let isLate = false;
  let turns = 0;
  let beganMs = 0;
  const accepted = () => {
    hasAccepted = true;
  };
  const step = () => {
    const nowMs = clock.monotonicMs();
    const isQuiet = !hasAccepted && nowMs - beganMs <= SHORT_TURN_MS;
    if (!isQuiet && !(isLate && turns >= LEAST_TURNS)) {
      hasAccepted = false;
      beganMs = nowMs;
      turns++;
      setImmediate(step);
      return;
    }
    limit.cancel();
    server.off('connection', accepted);
    close();
  };
  const limit = clock.after(limitMs, () => {
    isLate = true;
  });
  const begin = () => {
    // clients that connect again as soon as they are answered would keep the queue from becoming empty
    shrinkBacklog(server);
    server.on('connection', accepted);
    setImmediate(step);
  };
  if (graceMs > 0) clock.after(graceMs, begin);
  else begin();
}
