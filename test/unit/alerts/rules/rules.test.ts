import { describe, expect, it } from 'vitest';
import { createRules, type RuleName, ruleNames } from '../../../../src/alerts/rules/rule-table.ts';
import type { MeasuredGateway } from '../../../support/measured-gateway.ts';
import { type Load, RuleBench } from '../../../support/rule-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BOUNDS = [0.1, 0.5, 1, 3, 10];

interface Row {
  readonly rule: RuleName;
  /** How long all is well first: some rules compare with the past. */
  readonly warmUpMs: number;
  /** A load that is all right, one that is not, and one that is not but too thin to conclude from. */
  readonly fine: Load;
  readonly bad: Load;
  readonly thin: Load | 'any breach is one';
  /** By when it fires under the bad load, and by when it is resolved again. */
  readonly firesWithinMs: number;
  readonly resolvesWithinMs: number;
  readonly summary: string;
  readonly stepMs?: number;
}

const attempts =
  (counts: Readonly<Record<string, number>>): Load =>
  gateway => {
    for (const [status, count] of Object.entries(counts)) {
      gateway.add(
        'tidegate_backend_requests_total',
        { backend: 'main', operation: 'GetObject', status },
        count,
      );
    }
  };

const answers =
  (counts: Readonly<Record<string, number>>): Load =>
  gateway => {
    for (const [outcome, count] of Object.entries(counts)) {
      const [status = '', cache = ''] = outcome.split(' ');
      gateway.add('tidegate_requests_total', { bucket: 'b', operation: 'GetObject', status, cache }, count);
    }
  };

const firstBytes =
  (cache: string, seconds: number, times: number): Load =>
  gateway =>
    gateway.observe('tidegate_request_first_byte_seconds', { cache }, BOUNDS, seconds, times);

const counted =
  (family: string, labels: Readonly<Record<string, string>>, count: number): Load =>
  gateway =>
    gateway.add(family, labels, count);

const together =
  (...loads: readonly Load[]): Load =>
  gateway => {
    for (const load of loads) load(gateway);
  };

const turnover = (held: number, evicted: number): Load =>
  together(
    counted('tidegate_cache_evictions_total', { tier: 'memory', reason: 'capacity' }, evicted),
    gateway => gateway.set('tidegate_cache_entries', { tier: 'memory' }, held),
  );

const callers = (refused: number, all: number): Load =>
  together(
    counted(
      'tidegate_error_responses_total',
      { bucket: 'b', code: 'SignatureDoesNotMatch', by: 'gateway' },
      refused,
    ),
    answers({ '200 HIT': all }),
  );

const archived = (count: number): Load =>
  counted('tidegate_error_responses_total', { bucket: 'b', code: 'InvalidObjectState' }, count);

/** In the second step: what counters hold in the first is no growth. */
const once = (load: Load): Load => {
  let step = 0;
  return gateway => {
    if (step++ === 1) load(gateway);
  };
};

const everyTenth = (load: Load): Load => {
  let step = 0;
  return gateway => {
    if (step++ % 10 === 0) load(gateway);
  };
};

const expiresIn = (days: number) => (gateway: Parameters<ReturnType<typeof stateIs>>[0]) => {
  gateway.set('tidegate_certificate_expiry_seconds', { file: '/cert.pem' }, days * 86_400);
  gateway.set('tidegate_certificate_usable', { file: '/cert.pem' }, 1);
};

const stateIs =
  (usable: 0 | 1): Load =>
  gateway =>
    gateway.set('tidegate_state_usable', {}, usable);

const accessLogIs =
  (usable: 0 | 1): Load =>
  gateway => {
    gateway.set('tidegate_access_log_usable', { file: '/var/log/access.log' }, usable);
    gateway.add('tidegate_log_dropped_lines_total', {}, 0);
  };

const reloadIs =
  (successful: 0 | 1): Load =>
  gateway =>
    gateway.set('tidegate_config_last_reload_successful', {}, successful);

const credentials =
  (usable: 0 | 1, failingS: number, leftS: number): Load =>
  gateway => {
    gateway.set('tidegate_credentials_usable', { backend: 'main' }, usable);
    gateway.set('tidegate_credentials_failing_seconds', { backend: 'main' }, failingS);
    gateway.set('tidegate_credentials_expiry_seconds', { backend: 'main' }, leftS);
  };

const idle: Load = (gateway: MeasuredGateway) => gateway.add('tidegate_worker_restarts_total', {}, 0);

const rows: readonly Row[] = [
  {
    rule: 'backendErrors',
    warmUpMs: 10 * MINUTE_MS,
    fine: attempts({ 200: 95, 404: 20, 500: 1 }),
    bad: attempts({ 200: 90, 503: 6, broken: 4 }),
    thin: attempts({ 500: 1 }),
    firesWithinMs: 2 * MINUTE_MS + 5_000,
    resolvesWithinMs: 2 * MINUTE_MS + 5_000,
    summary: '10 % of the requests to backend main failed in the last 1 min.',
  },
  {
    rule: 'backendUnreachable',
    warmUpMs: 10 * MINUTE_MS,
    fine: attempts({ 200: 10, unreachable: 3 }),
    bad: attempts({ unreachable: 3 }),
    thin: once(
      together(
        attempts({ unreachable: 5 }),
        counted('tidegate_backend_retries_total', { backend: 'main', reason: 'unreachable' }, 3),
      ),
    ),
    firesWithinMs: 20_000,
    resolvesWithinMs: 35_000,
    summary: 'Backend main has answered none of 9 requests in the last 15 s.',
  },
  {
    rule: 'backendErrorBurn',
    warmUpMs: 70 * MINUTE_MS,
    fine: attempts({ 200: 1_000 }),
    bad: attempts({ 200: 970, 500: 30 }),
    thin: everyTenth(attempts({ 500: 1 })),
    firesWithinMs: 45 * MINUTE_MS,
    resolvesWithinMs: 40 * MINUTE_MS,
    summary: 'Backend main fails',
  },
  {
    rule: 'backendErrorBudget',
    warmUpMs: 25 * HOUR_MS,
    fine: attempts({ 200: 1_000 }),
    bad: attempts({ 200: 990, 500: 10 }),
    thin: attempts({ 500: 1 }),
    firesWithinMs: 10 * HOUR_MS,
    resolvesWithinMs: 8 * HOUR_MS,
    summary: 'Backend main fails',
    stepMs: MINUTE_MS,
  },
  {
    rule: 'backendTimeouts',
    warmUpMs: 10 * MINUTE_MS,
    fine: attempts({ 200: 99, timeout: 1 }),
    bad: attempts({ 200: 90, timeout: 10 }),
    thin: attempts({ timeout: 1 }),
    firesWithinMs: 6 * MINUTE_MS + 5_000,
    resolvesWithinMs: 2 * MINUTE_MS + 5_000,
    summary: '10 % of the requests to backend main timed out in the last 1 min.',
  },
  {
    rule: 'backendCredentials',
    warmUpMs: 10 * MINUTE_MS,
    fine: credentials(1, 0, 240),
    bad: credentials(1, 60, 240),
    thin: credentials(1, 60, 3_000),
    firesWithinMs: 5_000,
    resolvesWithinMs: 35_000,
    summary: 'The credentials of backend main cannot be refreshed.',
  },
  {
    rule: 'retryStorm',
    warmUpMs: 10 * MINUTE_MS,
    fine: counted('tidegate_backend_retries_total', { backend: 'main', reason: '503' }, 5),
    bad: counted('tidegate_backend_retries_total', { backend: 'main', reason: '503' }, 100),
    thin: counted('tidegate_backend_retries_total', { backend: 'main', reason: '503' }, 40),
    firesWithinMs: 3 * MINUTE_MS + 5_000,
    resolvesWithinMs: 3 * MINUTE_MS + 5_000,
    summary: 'Requests to backend main are retried 20 a second.',
  },
  {
    rule: 'serverErrors',
    warmUpMs: 10 * MINUTE_MS,
    fine: answers({ '200 HIT': 95, '404 MISS': 5, '500 MISS': 1 }),
    bad: answers({ '200 HIT': 90, '500 MISS': 10 }),
    thin: answers({ '500 MISS': 1 }),
    firesWithinMs: 2 * MINUTE_MS + 5_000,
    resolvesWithinMs: 2 * MINUTE_MS + 5_000,
    summary: '10 % of all requests were answered with a server error in the last 1 min.',
  },
  {
    rule: 'slowFirstByte',
    warmUpMs: 10 * MINUTE_MS,
    fine: together(firstBytes('HIT', 0.05, 100), firstBytes('MISS', 0.8, 100)),
    bad: together(firstBytes('HIT', 0.05, 100), firstBytes('MISS', 0.8, 95), firstBytes('MISS', 8, 5)),
    thin: firstBytes('MISS', 8, 1),
    firesWithinMs: 4 * MINUTE_MS + 5_000,
    resolvesWithinMs: 4 * MINUTE_MS + 5_000,
    summary: 'One in a hundred reads that need the backend waits about 8.6 s or longer for its first byte.',
  },
  {
    rule: 'hitRatioDrop',
    warmUpMs: 7 * HOUR_MS,
    fine: answers({ '200 HIT': 95, '200 MISS': 5, '200 BYPASS': 200 }),
    bad: answers({ '200 HIT': 30, '206 PARTIAL': 10, '200 MISS': 60 }),
    thin: answers({ '200 MISS': 1 }),
    firesWithinMs: 20 * MINUTE_MS + 5_000,
    resolvesWithinMs: 20 * MINUTE_MS + 5_000,
    summary: 'The cache answers',
  },
  {
    rule: 'cacheThrash',
    warmUpMs: 20 * MINUTE_MS,
    fine: turnover(5_000, 10),
    bad: turnover(500, 10),
    thin: turnover(5, 1),
    firesWithinMs: 20 * MINUTE_MS + 5_000,
    resolvesWithinMs: 20 * MINUTE_MS + 5_000,
    summary: 'The memory tier keeps a block for 4 min 10 s on average before it evicts it.',
  },
  {
    rule: 'refusedSignatures',
    warmUpMs: 10 * MINUTE_MS,
    fine: callers(1, 100),
    bad: callers(10, 100),
    thin: callers(1, 1),
    firesWithinMs: 10 * MINUTE_MS + 5_000,
    resolvesWithinMs: 10 * MINUTE_MS + 5_000,
    summary: 'of all requests were refused for their signature or their rights.',
  },
  {
    rule: 'archivedObjects',
    warmUpMs: 10 * MINUTE_MS,
    fine: archived(0),
    bad: archived(2),
    thin: once(archived(10)),
    firesWithinMs: 30_000,
    resolvesWithinMs: 20 * MINUTE_MS + 5_000,
    summary: '12 reads of archived objects in bucket b were refused.',
  },
  {
    rule: 'saturation',
    warmUpMs: 10 * MINUTE_MS,
    fine: counted('tidegate_requests_shed_total', { reason: 'memory' }, 0),
    bad: counted('tidegate_requests_shed_total', { reason: 'memory' }, 1),
    thin: 'any breach is one',
    firesWithinMs: 2 * MINUTE_MS + 5_000,
    resolvesWithinMs: 3 * MINUTE_MS + 5_000,
    summary: '12 requests were refused for lack of capacity in the last 1 min.',
  },
  {
    rule: 'eventLoopLag',
    warmUpMs: 10 * MINUTE_MS,
    fine: gateway => gateway.set('nodejs_eventloop_lag_p99_seconds', {}, 0.02),
    bad: gateway => gateway.set('nodejs_eventloop_lag_p99_seconds', {}, 0.3),
    thin: 'any breach is one',
    firesWithinMs: 2 * MINUTE_MS + 5_000,
    resolvesWithinMs: 2 * MINUTE_MS + 5_000,
    summary: 'The busiest thread keeps requests waiting for 300 ms.',
  },
  {
    rule: 'restartLoop',
    warmUpMs: 10 * MINUTE_MS,
    fine: idle,
    bad: counted('tidegate_worker_restarts_total', {}, 1),
    thin: once(counted('tidegate_worker_restarts_total', {}, 4)),
    firesWithinMs: 25_000,
    resolvesWithinMs: 11 * MINUTE_MS + 5_000,
    summary: 'Workers died and were replaced 5 times in the last 10 min.',
  },
  {
    rule: 'eventsQueue',
    warmUpMs: 10 * MINUTE_MS,
    fine: gateway => gateway.set('tidegate_events_queue_last_poll_age_seconds', {}, 20),
    bad: gateway => gateway.set('tidegate_events_queue_last_poll_age_seconds', {}, 360),
    thin: 'any breach is one',
    firesWithinMs: 5_000,
    resolvesWithinMs: MINUTE_MS + 5_000,
    summary: 'No change events of stores have been received for 6 min: the queue does not answer.',
  },
  {
    rule: 'certificateExpiry',
    warmUpMs: 10 * MINUTE_MS,
    fine: expiresIn(4),
    bad: expiresIn(2),
    thin: 'any breach is one',
    firesWithinMs: 5_000,
    resolvesWithinMs: MINUTE_MS + 5_000,
    summary: 'The certificate in /cert.pem expires in 2 d.',
  },
  {
    rule: 'certificateRenewal',
    warmUpMs: 10 * MINUTE_MS,
    fine: expiresIn(30),
    bad: expiresIn(15),
    thin: 'any breach is one',
    firesWithinMs: MINUTE_MS + 5_000,
    resolvesWithinMs: MINUTE_MS + 5_000,
    summary: 'The certificate in /cert.pem expires in 15 d.',
  },
  {
    rule: 'stateDirectory',
    warmUpMs: 10 * MINUTE_MS,
    fine: stateIs(1),
    bad: stateIs(0),
    thin: 'any breach is one',
    firesWithinMs: 5_000,
    resolvesWithinMs: MINUTE_MS + 5_000,
    summary: 'Alerts and cards are kept in memory only: the state directory cannot be used.',
  },
  {
    rule: 'logLines',
    warmUpMs: 10 * MINUTE_MS,
    fine: accessLogIs(1),
    bad: accessLogIs(0),
    thin: 'any breach is one',
    firesWithinMs: 5_000,
    resolvesWithinMs: MINUTE_MS + 5_000,
    summary: 'The file of the access log cannot be written: its lines wait in memory while there is room.',
  },
  {
    rule: 'configReload',
    warmUpMs: MINUTE_MS,
    fine: reloadIs(1),
    bad: reloadIs(0),
    thin: 'any breach is one',
    firesWithinMs: 10 * MINUTE_MS + 5_000,
    resolvesWithinMs: 10 * MINUTE_MS + 5_000,
    summary: 'The last reload of the configuration was refused, and the file has not been mended since.',
  },
];

function benchOf({ rule, stepMs }: Row): RuleBench {
  return new RuleBench(
    createRules().filter(({ name }) => name === rule),
    stepMs,
  );
}

it('has a row for every rule', () => {
  expect(rows.map(({ rule }) => rule).sort()).toEqual([...ruleNames].sort());
});

describe.each(rows)('$rule', row => {
  it('says nothing while all is well, fires when it is not, and is resolved when it is over', () => {
    const bench = benchOf(row);
    expect(bench.run(row.warmUpMs, row.fine)).toEqual([]);
    const onset = bench.run(row.firesWithinMs, row.bad);
    expect(onset.filter(transition => transition !== 'pending')).toEqual(['fired']);
    expect(bench.changes.at(-1)?.episode.alert.summary).toContain(row.summary);
    expect(bench.run(row.resolvesWithinMs, row.fine)).toEqual(['resolved']);
  });

  it('names how long it lasted, from the first to the last time it was seen', () => {
    const bench = benchOf(row);
    bench.run(row.warmUpMs, row.fine);
    bench.run(row.firesWithinMs, row.bad);
    bench.run(row.resolvesWithinMs, row.fine);
    const { startedAtMs, endedAtMs = 0 } = bench.changes.at(-1)?.episode.alert ?? { startedAtMs: 0 };
    expect(endedAtMs).toBeGreaterThanOrEqual(startedAtMs);
    expect(endedAtMs).toBeLessThan(bench.clock.nowMs());
  });

  it('concludes nothing from too little', () => {
    if (row.thin === 'any breach is one') return;
    const bench = benchOf(row);
    bench.run(row.firesWithinMs * 2, row.thin);
    expect(bench.changes).toEqual([]);
  });

  it('is told less and less often when it comes and goes', () => {
    const bench = benchOf(row);
    bench.run(row.warmUpMs, row.fine);
    for (let cycle = 0; cycle < 8; cycle++) {
      bench.run(row.firesWithinMs, row.bad);
      bench.run(row.resolvesWithinMs, row.fine);
    }
    const firings = bench.changes.filter(({ transition }) => transition === 'fired').length;
    const cycleMs = row.firesWithinMs + row.resolvesWithinMs;
    // whoever comes and goes within minutes is damped; what takes hours is news each time
    expect(firings).toBeLessThanOrEqual(cycleMs < 20 * MINUTE_MS ? 5 : 8);
    expect(firings).toBeGreaterThanOrEqual(1);
  });
});
