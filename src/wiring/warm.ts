/** Part of the supervisor's composition root: fetches objects before somebody asks for them. */
import { AdminError } from '../admin/admin-route.ts';
import type { Warm, WarmRequest } from '../admin/warm-route.ts';
import type { Clock } from '../base/clock.ts';
import { hashText } from '../cache/object-key.ts';
import { isAtWebOrigin, isKnownBucket } from '../config/other-buckets.ts';
import type { WarmOrderOfRun } from '../gateway/operate/warming.ts';
import type { Warmed } from '../gateway/read/warmed.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import { refuseNoKey } from './cache.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';

/** The workers, of which each fetches some objects. */
type Workers = Pick<WorkerPool<WorkerControl>, 'call' | 'states'>;

const AT_WEB_ORIGIN =
  'the bucket is at a web origin, where nothing can be listed: name what to fetch by keys, not by a prefix';

/** A line of progress at most so often. */
const LINE_EVERY_MS = 250;

export function warmEverywhere(running: RunningConfig, pool: Workers, clock: Clock): Warm {
  let runs = 0;
  return (request, signal) => {
    if (!isKnownBucket(running.current, request.bucket)) return undefined;
    refuseUnnamable(running.current, request);
    refuseStrayStart(request);
    const run = ++runs;
    signal.addEventListener('abort', () => leave(run, pool));
    return linesOf({ ...request, run }, pool, clock, signal);
  };
}

/** @throws AdminError for what nothing in the bucket can be called, before anything is fetched */
function refuseUnnamable(config: RunningConfig['current'], { bucket, what, from }: WarmRequest): void {
  if ('prefix' in what) {
    if (isAtWebOrigin(config, bucket)) throw new AdminError(400, 'WEB_ORIGIN', AT_WEB_ORIGIN);
    refuseNoKey(config, { bucket, prefix: what.prefix }, 'prefix: ');
    if (from !== undefined) refuseNoKey(config, { bucket, key: from }, 'from: ');
    return;
  }
  for (const [at, key] of what.keys.entries()) refuseNoKey(config, { bucket, key }, `keys.${at}: `);
}

/** @throws AdminError where what was asked for cannot have been broken off at `from`: nobody starts over, or skips all, unawares */
function refuseStrayStart({ what, from }: WarmRequest): void {
  if (from === undefined) return;
  const isOneOf = 'keys' in what ? what.keys.includes(from) : from.startsWith(what.prefix);
  if (isOneOf) return;
  const problem = 'keys' in what ? 'is none of the keys' : 'does not begin with the prefix';
  throw new AdminError(400, 'UNKNOWN_START', `from ${problem}`);
}

/** What is fetched for a run alone is given up. */
function leave(run: number, pool: Workers): void {
  for (const { index, state } of pool.states())
    if (state === 'up') pool.call(index, 'leaveWarm', run).catch(() => undefined);
}

/** What was asked for, and its number. */
type Run = WarmRequest & { readonly run: number };

/** How far it is. All keys up to `last`, in their order, are done: who breaks off can go on from there. */
interface Progress {
  keys: number;
  warmed: number;
  held: number;
  uncached: number;
  failed: number;
  bytes: number;
  last: string | undefined;
}

/** An object that is being fetched. */
interface Fetch {
  readonly key: string;
  readonly outcome: Promise<Warmed>;
}

async function* linesOf(request: Run, pool: Workers, clock: Clock, signal: AbortSignal) {
  const { bucket, run } = request;
  const progress: Progress = { ...nothing };
  const fetches: Fetch[] = [];
  const starts = startsOf(request, clock);
  let toldMs = clock.monotonicMs();
  try {
    for await (const key of keysOf(request, pool)) {
      await starts.next();
      if (signal.aborted) return;
      // the workers take turns
      const worker = workerFor(pool, hashText(key));
      fetches.push({ key, outcome: fetched({ bucket, key, run }, worker, pool) });
      if (fetches.length < request.concurrency) continue;
      yield* told(await taken(fetches, progress));
      if (clock.monotonicMs() - toldMs < LINE_EVERY_MS) continue;
      toldMs = clock.monotonicMs();
      yield { ...progress };
    }
    while (fetches.length > 0 && !signal.aborted) yield* told(await taken(fetches, progress));
  } catch (error) {
    yield { ...progress, error: error instanceof Error ? error.message : String(error) };
    return;
  }
  yield { ...progress, complete: true };
}

const nothing: Progress = { keys: 0, warmed: 0, held: 0, uncached: 0, failed: 0, bytes: 0, last: undefined };

/** Paces the starts of fetches. */
async function* startsOf({ rate }: WarmRequest, clock: Clock): AsyncGenerator<undefined> {
  for (let nextMs = clock.monotonicMs(); ; nextMs += rate > 0 ? 1_000 / rate : 0) {
    const waitMs = nextMs - clock.monotonicMs();
    if (rate > 0 && waitMs > 0) await new Promise<void>(resolve => clock.after(waitMs, resolve));
    yield;
  }
}

async function* keysOf({ bucket, what, from }: WarmRequest, pool: Workers): AsyncGenerator<string> {
  if ('keys' in what) {
    yield* what.keys.slice(from === undefined ? 0 : what.keys.indexOf(from) + 1);
    return;
  }
  for (let after = from; ; ) {
    const page = await pool.call(workerFor(pool, 0), 'keysBelow', { bucket, prefix: what.prefix, after });
    yield* page.keys;
    if (page.isLast) return;
    after = page.keys.at(-1);
  }
}

/** Has one worker read an object; it reads what another one owns from there. Never rejects. */
export async function fetched(
  order: WarmOrderOfRun,
  worker: number,
  pool: Pick<Workers, 'call'>,
): Promise<Warmed> {
  try {
    return await pool.call(worker, 'warm', order);
  } catch {
    return { kind: 'failed', code: 'WORKER_LOST' };
  }
}

/** One of those that are up. */
export function workerFor(pool: Pick<Workers, 'states'>, number: number): number {
  const up = pool.states().filter(({ state }) => state === 'up');
  return up[number % Math.max(1, up.length)]?.index ?? 0;
}

/** Waits for the first of `fetches` and counts it. */
async function taken(
  fetches: Fetch[],
  progress: Progress,
): Promise<(Fetch & { readonly warmed: Warmed }) | undefined> {
  const first = fetches.shift();
  if (!first) return undefined;
  const warmed = await first.outcome;
  progress.keys++;
  progress.last = first.key;
  if (warmed.kind === 'failed' || warmed.kind === 'refused') progress.failed++;
  else progress[warmed.kind]++;
  if (warmed.kind === 'warmed' || warmed.kind === 'held') progress.bytes += warmed.bytes;
  return { ...first, warmed };
}

function* told(done: { readonly key: string; readonly warmed: Warmed } | undefined) {
  if (done?.warmed.kind === 'failed') yield { key: done.key, error: done.warmed.code };
  if (done?.warmed.kind === 'refused') {
    const { status, code } = done.warmed;
    yield { key: done.key, status, ...(code !== undefined && { code }) };
  }
  if (done?.warmed.kind === 'uncached' && done.warmed.reason !== undefined)
    yield { key: done.key, notKept: done.warmed.reason };
}
