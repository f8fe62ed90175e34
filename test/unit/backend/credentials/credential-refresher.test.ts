import { expect, it } from 'vitest';
import { RefresherBench, type SourceAnswer } from '../../../support/refresher-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const down = () => Object.assign(new Error('planted-text'), { code: 'ECONNREFUSED' });

/** A bench whose source gives new keys for `lifetimeMs` each time. */
function fresh(lifetimeMs: number, random = 0): RefresherBench {
  const bench: RefresherBench = new RefresherBench(() => bench.keys(lifetimeMs), random);
  return bench;
}

it('renews credentials ten minutes before their end, and sooner with jitter', async () => {
  for (const [random, dueMs] of [
    [0, 50 * MINUTE_MS],
    [0.9, 45.5 * MINUTE_MS],
  ] as const) {
    const bench = fresh(HOUR_MS, random);
    await bench.refresher.refresh();
    await bench.run(dueMs - 1_000, 1_000);
    expect(bench.handed.map(({ accessKeyId }) => accessKeyId)).toEqual(['K1']);
    await bench.run(1_000, 1_000);
    expect(bench.handed.map(({ accessKeyId }) => accessKeyId)).toEqual(['K1', 'K2']);
    expect(bench.outcomes).toEqual(['renewed', 'renewed']);
  }
});

it('renews short-lived credentials when a third of their time is left', async () => {
  const bench = fresh(9_000);
  await bench.refresher.refresh();
  await bench.run(60_000);
  expect(bench.askedMs).toEqual([
    0, 6_000, 12_000, 18_000, 24_000, 30_000, 36_000, 42_000, 48_000, 54_000, 60_000,
  ]);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: undefined });
});

it('asks once for all who want a refresh at the same time', async () => {
  const bench = new RefresherBench(() => 'nothing');
  const all = [bench.refresher.refresh(), bench.refresher.refresh(), bench.refresher.refresh()];
  await bench.release(bench.keys(HOUR_MS));
  await Promise.all(all);
  expect(bench.askedMs).toHaveLength(1);
  expect(bench.handed).toHaveLength(1);
});

it('keeps the old credentials while their refresh fails, until they expire, and tells each change once', async () => {
  const bench = fresh(HOUR_MS);
  await bench.refresher.refresh();
  bench.answer = down;
  await bench.run(59 * MINUTE_MS);
  expect(bench.refresher.status()).toMatchObject({
    state: 'valid',
    failure: { cause: 'ECONNREFUSED', sinceMs: expect.any(Number) },
  });
  expect(bench.lines.slice(1)).toEqual([
    'warn credentials cannot be refreshed: requests go on with the old ones',
  ]);
  await bench.run(MINUTE_MS);
  expect(bench.refresher.status()).toMatchObject({ state: 'expired' });
  await bench.run(10 * MINUTE_MS);
  expect(bench.lines.slice(2)).toEqual([
    'error the credentials have expired: what is not cached is answered 503 until there are new ones',
  ]);
  bench.answer = () => bench.keys(HOUR_MS);
  await bench.run(MINUTE_MS);
  expect(bench.lines.slice(3)).toEqual(['info credentials can be refreshed again']);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: undefined });
  expect(bench.handed).toHaveLength(2);
  expect(JSON.stringify(bench.logged)).not.toContain('planted');
});

it('tries again after delays that double up to a minute', async () => {
  const bench = new RefresherBench(down, 1 - Number.EPSILON);
  await bench.refresher.refresh();
  await bench.run(5 * MINUTE_MS);
  const delays = bench.askedMs
    .slice(1)
    .map((atMs, index) => Math.round((atMs - (bench.askedMs[index] ?? 0)) / 1_000));
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(bench.refresher.status().state).toBe('missing');
  expect(bench.lines).toEqual([
    'error there are no valid credentials: what is not cached is answered 503 until there are new ones',
  ]);
});

it('the next cause of a failure is told as well', async () => {
  const bench = new RefresherBench(down);
  await bench.refresher.refresh();
  bench.answer = () => Object.assign(new Error('no'), { name: 'AccessDenied' });
  await bench.run(5_000);
  expect(bench.logged.map(({ cause }) => cause)).toEqual(['ECONNREFUSED', 'AccessDenied']);
  expect(bench.refresher.status().failure?.sinceMs).toBe(Date.UTC(2026, 0, 1));
});

it('a source that does not answer has failed after a minute; what it says later is dropped', async () => {
  const answers: (() => SourceAnswer)[] = [() => 'nothing', () => bench.keys(HOUR_MS)];
  const bench: RefresherBench = new RefresherBench(() => answers.shift()?.() ?? 'nothing');
  const first = bench.refresher.refresh();
  await bench.run(MINUTE_MS);
  await first;
  expect(bench.refresher.status().failure?.cause).toBe('TIMEOUT');
  await bench.run(1_000);
  expect(bench.handed.map(({ accessKeyId }) => accessKeyId)).toEqual(['K1']);
  await bench.release(bench.keys(2 * HOUR_MS));
  expect(bench.handed.map(({ accessKeyId }) => accessKeyId)).toEqual(['K1']);
});

it('does not pile up refreshes that never end, and goes on when one of them has ended', async () => {
  const bench = new RefresherBench(() => 'nothing');
  void bench.refresher.refresh();
  await bench.run(12 * MINUTE_MS);
  expect(bench.askedMs).toHaveLength(3);
  expect(bench.refresher.status().failure?.cause).toBe('HUNG');
  bench.answer = () => bench.keys(HOUR_MS);
  await bench.release(bench.keys(HOUR_MS));
  await bench.run(MINUTE_MS);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: undefined });
});

it('after refreshes that never end, the source is asked once in ten minutes, and used when it is well', async () => {
  const bench = new RefresherBench(() => 'nothing');
  void bench.refresher.refresh();
  await bench.run(33 * MINUTE_MS);
  expect(bench.askedMs.map(atMs => Math.floor(atMs / MINUTE_MS))).toEqual([0, 1, 2, 12, 22, 32]);
  bench.answer = () => bench.keys(HOUR_MS);
  await bench.run(10 * MINUTE_MS);
  expect(bench.askedMs).toHaveLength(7);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: undefined });
});

it('gives a question up when its time is over, and when nobody needs the answer any more', async () => {
  const bench = new RefresherBench(() => 'nothing');
  void bench.refresher.refresh();
  await bench.run(59_000);
  expect(bench.givenUp).toEqual([false]);
  await bench.run(3_000);
  expect(bench.givenUp).toEqual([true, false]);
  bench.refresher.stop();
  expect(bench.givenUp).toEqual([true, true]);
});

it('a refresh whose credentials nobody can take has failed: those before are held, and it is tried again', async () => {
  const bench: RefresherBench = new RefresherBench(() => bench.keys(HOUR_MS));
  await bench.refresher.refresh();
  bench.handFailure = Object.assign(new Error('planted'), { code: 'ENOENT' });
  await bench.run(51 * MINUTE_MS);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: { cause: 'ENOENT' } });
  bench.refresher.refused('K1');
  expect(bench.lines.at(-1)).toContain('refreshed early');
  bench.handFailure = undefined;
  await bench.run(MINUTE_MS);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: undefined });
  expect(bench.handed).toHaveLength(2);
});

it('credentials that have expired when they come are a failure', async () => {
  const bench = fresh(-1);
  await bench.refresher.refresh();
  expect(bench.handed).toEqual([]);
  expect(bench.refresher.status()).toMatchObject({ state: 'missing', failure: { cause: 'EXPIRED' } });
});

it('a source that repeats itself is asked more often, and has failed when the end is near', async () => {
  const bench = fresh(HOUR_MS);
  await bench.refresher.refresh();
  const [first] = bench.handed;
  if (!first) throw new Error('no credentials');
  bench.answer = () => first;
  await bench.run(52 * MINUTE_MS);
  expect(bench.outcomes).toEqual(['renewed', 'unchanged']);
  expect(bench.refresher.status().failure).toBeUndefined();
  await bench.run(6 * MINUTE_MS);
  expect(bench.outcomes.slice(0, 3)).toEqual(['renewed', 'unchanged', 'failed']);
  expect(bench.refresher.status()).toMatchObject({ state: 'valid', failure: { cause: 'UNCHANGED' } });
  expect(bench.handed).toHaveLength(1);
  bench.answer = () => bench.keys(HOUR_MS);
  await bench.run(MINUTE_MS);
  expect(bench.handed).toHaveLength(2);
});

it('credentials without an end are not asked for again', async () => {
  const bench = new RefresherBench(() => ({ accessKeyId: 'K', secretAccessKey: 's' }));
  await bench.refresher.refresh();
  await bench.run(48 * HOUR_MS, HOUR_MS);
  expect(bench.askedMs).toEqual([0]);
});

it('the refusal of a store leads to one refresh a minute, and none for credentials that are replaced', async () => {
  const bench = fresh(HOUR_MS);
  await bench.refresher.refresh();
  bench.refresher.refused('of somebody else');
  await bench.run(1_000);
  expect(bench.askedMs).toHaveLength(1);
  for (let count = 0; count < 100; count++) bench.refresher.refused('K1');
  await bench.run(1_000);
  bench.refresher.refused('K1');
  expect(bench.handed.map(({ accessKeyId }) => accessKeyId)).toEqual(['K1', 'K2']);
  for (let second = 0; second < 58; second++) {
    bench.refresher.refused('K2');
    await bench.run(1_000);
  }
  expect(bench.askedMs).toHaveLength(2);
  await bench.run(1_000);
  bench.refresher.refused('K2');
  await bench.run(1_000);
  expect(bench.askedMs).toHaveLength(3);
});

it('a wall clock that is set forward lets credentials expire, and they are asked for within a minute', async () => {
  const bench = fresh(HOUR_MS);
  await bench.refresher.refresh();
  bench.clock.stepWallClock(2 * HOUR_MS);
  expect(bench.refresher.status().state).toBe('expired');
  await bench.run(MINUTE_MS);
  expect(bench.handed).toHaveLength(2);
  expect(bench.refresher.status().state).toBe('valid');
});
