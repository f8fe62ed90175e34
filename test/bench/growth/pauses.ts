import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayProcess } from '../../support/gateway-process.ts';

export const PAUSES_FILE = 'pauses';

/** How often the event loop is looked at. */
export const WATCH_MS = 5;

/** The longest of some quarter of a second. */
export interface Pauses {
  readonly untilMs: number;
  /** Of the event loop. */
  readonly pauseMs: number;
  /** Of the garbage collector. */
  readonly collectionMs: number;
}

/** Further arguments of Node with which a gateway writes down its pauses. */
export const watchingPauses = ['--import', new URL('pause-watch.ts', import.meta.url).href];

/** The longest pauses since `sinceMs`. */
export function longestPauses({ directory }: GatewayProcess, sinceMs: number) {
  const lines = readFileSync(join(directory, PAUSES_FILE), 'utf8').trimEnd().split('\n');
  const since = lines.map((line): Pauses => JSON.parse(line)).filter(({ untilMs }) => untilMs >= sinceMs);
  return {
    pauseMs: Math.max(...since.map(({ pauseMs }) => pauseMs)),
    collectionMs: Math.max(...since.map(({ collectionMs }) => collectionMs)),
  };
}
