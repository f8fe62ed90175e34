import { describe, expect, it } from 'vitest';
import type { Severity } from '../../../../src/alerts/alert.ts';
import { alertNames, describeRule } from '../../../../src/alerts/rules/rule-description.ts';
import { createRules, type RuleOptions } from '../../../../src/alerts/rules/rule-table.ts';
import { type Load, RuleBench } from '../../../support/rule-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every rule but those named is off. */
function rulesOf(options: RuleOptions, ...names: readonly string[]) {
  return createRules(options).filter(({ name }) => names.length === 0 || names.includes(name));
}

const attempts =
  (counts: Readonly<Record<string, number>>): Load =>
  gateway => {
    for (const [status, count] of Object.entries(counts)) {
      gateway.add('tidegate_backend_requests_total', { backend: 'main', status }, count);
      gateway.add('tidegate_requests_total', { status, cache: 'MISS' }, count);
    }
  };

const causes =
  (backend: string, cause: string, count = 5): Load =>
  gateway =>
    gateway.add('tidegate_backend_failures_total', { backend, cause }, count);

const together =
  (...loads: readonly Load[]): Load =>
  gateway => {
    for (const load of loads) load(gateway);
  };

/** In one of three steps. */
function everyThird(load: Load): Load {
  let step = 0;
  return gateway => {
    if (step++ % 3 === 0) load(gateway);
  };
}

function fired(bench: RuleBench): readonly string[] {
  return bench.changes.flatMap(({ transition, episode }) =>
    transition === 'fired' ? [episode.alert.rule] : [],
  );
}

describe('options', () => {
  const tenPercent = attempts({ 200: 90, 500: 10 });

  it('change thresholds, patience and severity of a rule', () => {
    const severity: Severity = 'info';
    const bench = new RuleBench(rulesOf({ backendErrors: { threshold: 0.2, severity } }, 'backendErrors'));
    bench.run(10 * MINUTE_MS, tenPercent);
    expect(fired(bench)).toEqual([]);
    bench.run(2 * MINUTE_MS, attempts({ 200: 50, 500: 50 }));
    expect(bench.changes.at(-1)?.episode.alert).toMatchObject({ state: 'firing', severity });
  });

  it('turn a rule off', () => {
    expect(createRules({ backendErrors: false }).map(({ name }) => name)).not.toContain('backendErrors');
  });

  it('that are absent leave the defaults', () => {
    expect(createRules({ backendErrors: {} })).toEqual(
      expect.arrayContaining([expect.objectContaining({ forMs: 60_000 })]),
    );
  });
});

describe('causes', () => {
  it('stand above what they explain, so that they are judged first', () => {
    const names = createRules().map(({ name }) => name);
    for (const [index, { inhibitedBy }] of createRules().entries()) {
      for (const cause of inhibitedBy) {
        expect(names.indexOf(cause), `${cause} of ${names[index]}`).toBeGreaterThanOrEqual(0);
        expect(names.indexOf(cause)).toBeLessThan(index);
      }
    }
  });

  it('speak alone: a store that goes away and comes back fires one rule and no other', () => {
    const bench = new RuleBench(createRules());
    const well = attempts({ 200: 100 });
    bench.run(2 * HOUR_MS, well);
    bench.run(20 * MINUTE_MS, attempts({ unreachable: 100 }));
    bench.run(40 * MINUTE_MS, well);
    expect(bench.changes.map(({ transition, episode }) => [transition, episode.alert.rule])).toEqual([
      ['pending', 'backendErrors'],
      ['fired', 'backendUnreachable'],
      ['dropped', 'backendErrors'],
      ['resolved', 'backendUnreachable'],
    ]);
  });

  it('do not silence the same rule of another backend', () => {
    const bench = new RuleBench(createRules());
    const other: Load = gateway => {
      gateway.add('tidegate_backend_requests_total', { backend: 'other', status: '200' }, 80);
      gateway.add('tidegate_backend_requests_total', { backend: 'other', status: '500' }, 20);
    };
    bench.run(5 * MINUTE_MS, gateway => {
      attempts({ unreachable: 100 })(gateway);
      other(gateway);
    });
    expect(fired(bench)).toEqual(['backendUnreachable', 'backendErrors']);
    expect(bench.changes.at(-1)?.episode.alert.labels).toEqual({ backend: 'other' });
  });
});

describe('backendUnreachable', () => {
  it('is not resolved by silence: without an attempt nobody knows', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({ unreachable: 5 }));
    expect(bench.run(10 * MINUTE_MS, attempts({}))).toEqual([]);
    expect(bench.run(10 * MINUTE_MS, attempts({}))).toEqual(['resolved']);
  });

  it('tells of a store that answers nothing but errors', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(5 * MINUTE_MS, attempts({ 200: 5 }));
    expect(bench.run(20_000, attempts({ 503: 4, timeout: 1 }))).toEqual(['fired']);
    const { summary, facts } = bench.changes[0]?.episode.alert ?? {};
    expect(summary).toBe('Backend main has failed all of 15 requests in the last 15 s.');
    expect(facts).toContainEqual({ name: 'Answered with an error', value: '12' });
  });

  it.each([
    ['ECONNREFUSED', 'unreachable', 'nothing listens there'],
    ['ENOTFOUND', 'unreachable', 'its host name is not known'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable', 'its certificate is not accepted'],
    ['FIRST_BYTE_TIMEOUT', 'timeout', 'it does not answer in time'],
    ['STATUS_503', '503', 'it is in trouble itself, or what stands before it is'],
  ])('says that %s is the cause', (cause, status, words) => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({}));
    bench.run(20_000, together(attempts({ [status]: 5 }), causes('main', cause), causes('other', 'EPIPE')));
    const { summary, facts, cause: named } = bench.changes.at(-1)?.episode.alert ?? {};
    expect(facts).toContainEqual({ name: 'Last failure', value: `${words} (${cause})` });
    expect(summary).toMatch(new RegExp(`in the last 15 s: ${words} \\(${cause}\\)\\.$`));
    expect(named).toBe(cause);
  });

  it('names the cause that there was last, not an earlier one', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({}));
    const down = attempts({ unreachable: 5 });
    bench.run(20_000, together(down, causes('main', 'ENOTFOUND', 50)));
    bench.run(5_000, together(down, causes('main', 'ECONNREFUSED', 5)));
    bench.run(5_000, down);
    const [, fact] = bench.current()?.facts.filter(({ name }) => name !== 'Backend') ?? [];
    expect(fact).toEqual({ name: 'Last failure', value: 'nothing listens there (ECONNREFUSED)' });
  });

  it.each(['200', '404', '501'])('counts %s as a sign of life', status => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(5 * MINUTE_MS, attempts({ [status]: 1, 503: 20, timeout: 50 }));
    expect(bench.changes).toEqual([]);
  });

  it.each([500, 2_000, 5_000, 7_000])(
    'tells of a store that hangs within 30 s of the first request, with one every %i ms',
    everyMs => {
      const firstByteMs = 10_000;
      for (let sampleMs = 0; sampleMs < 5_000; sampleMs += 500) {
        const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
        bench.run(MINUTE_MS, attempts({}));
        const startMs = bench.clock.monotonicMs() + sampleMs;
        let ended = 0;
        const hanging: Load = gateway => {
          // those that reach their time limit before the next sample
          const passedMs = bench.clock.monotonicMs() + 5_000 - startMs - firstByteMs;
          const all = passedMs < 0 ? 0 : Math.floor(passedMs / everyMs) + 1;
          attempts({ timeout: all - ended })(gateway);
          ended = all;
        };
        for (let step = 0; step < 20 && bench.changes.length === 0; step++) bench.run(5_000, hanging);
        expect(bench.changes.map(({ transition }) => transition)).toEqual(['fired']);
        expect(bench.clock.monotonicMs() - startMs).toBeLessThan(30_000);
      }
    },
  );

  it('concludes nothing from one bad object that is asked for several times', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({ 200: 5 }));
    bench.run(MINUTE_MS, attempts({}));
    bench.run(5_000, attempts({ 500: 9 }));
    bench.run(MINUTE_MS, attempts({}));
    expect(bench.changes).toEqual([]);
  });

  it('blames no backend for attempts that the client or the gateway ended', () => {
    const bench = new RuleBench(createRules());
    bench.run(5 * MINUTE_MS, attempts({ aborted: 50, busy: 50, fault: 50 }));
    expect(bench.changes).toEqual([]);
  });
});

describe("backendUnreachable of a store that refuses the gateway's own keys", () => {
  const code = 'SignatureDoesNotMatch';
  const refused = (count: number, others: Readonly<Record<string, number>> = {}) =>
    together(attempts({ refused: count, ...others }), causes('main', code, count));

  it('fires with few requests, says what to do, and is the only one that does', () => {
    const bench = new RuleBench(rulesOf({}));
    bench.run(5 * MINUTE_MS, attempts({ 200: 20 }));
    bench.run(10 * MINUTE_MS, everyThird(refused(3)));
    expect(fired(bench)).toEqual(['backendUnreachable']);
    const { summary, facts, cause } = bench.current() ?? {};
    expect(summary).toMatch(
      /^Backend main has refused all of \d+ requests in the last \d+ s: it does not accept/,
    );
    expect(cause).toBe(code);
    expect(facts).toContainEqual({
      name: 'To do',
      value: 'correct backends.main.credentials, or what their source gives, and reload',
    });
  });

  it.each([
    ['RequestTimeTooSkewed', 'set the clock of this machine, or that of the store'],
    ['AuthorizationHeaderMalformed', 'correct backends.main.region or its credentials, and reload'],
  ])('says what to do about %s', (cause, value) => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({}));
    bench.run(MINUTE_MS, together(attempts({ refused: 1 }), causes('main', cause, 1)));
    expect(bench.current()?.facts).toContainEqual({ name: 'To do', value });
  });

  it('takes answers to HEAD, which do not say why, for no sign of life', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(5 * MINUTE_MS, attempts({ 200: 20 }));
    expect(bench.run(MINUTE_MS, refused(3, { 403: 5, 400: 1 }))).toEqual(['fired']);
    expect(bench.run(5 * MINUTE_MS, attempts({ 403: 5 }))).toEqual([]);
    expect(bench.run(MINUTE_MS, attempts({ 404: 1 }))).toEqual(['resolved']);
  });

  it('replaces the cause of an outage before', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    bench.run(MINUTE_MS, attempts({}));
    bench.run(MINUTE_MS, together(attempts({ 503: 20 }), causes('main', 'STATUS_503', 20)));
    bench.run(MINUTE_MS, refused(20));
    expect(bench.current()?.cause).toBe(code);
  });

  it('leaves refusals of some requests to backendErrors', () => {
    const bench = new RuleBench(rulesOf({}));
    bench.run(5 * MINUTE_MS, refused(10, { 200: 30 }));
    expect(fired(bench)).toEqual(['backendErrors']);
    expect(bench.current()?.facts.map(({ name }) => name)).toContain('To do');
  });

  it('does not fire for objects that may not be read', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable', 'backendErrors', 'serverErrors'));
    bench.run(10 * MINUTE_MS, attempts({ 403: 50, 401: 5 }));
    expect(bench.changes).toEqual([]);
  });
});

describe('serverErrors', () => {
  const answers =
    (counts: Readonly<Record<string, number>>): Load =>
    gateway => {
      for (const [status, count] of Object.entries(counts))
        gateway.add('tidegate_requests_total', { status, cache: 'MISS' }, count);
    };

  it.each<readonly [string, Load, string]>([
    ['none', answers({}), 'none'],
    [
      'the one with most of them, and its cause',
      together(causes('main', 'SignatureDoesNotMatch', 9), causes('other', 'EPIPE', 1)),
      'most of main: 108, the last: it does not accept the gateway’s signature; is the secret key right? (SignatureDoesNotMatch)',
    ],
  ])('says which backends have failed: %s', (_which, failures, value) => {
    const bench = new RuleBench(rulesOf({}, 'serverErrors'));
    bench.run(3 * MINUTE_MS, together(answers({ 200: 50, 502: 10 }), failures));
    expect(fired(bench)).toEqual(['serverErrors']);
    expect(bench.current()?.facts).toContainEqual({ name: 'Failures of backends', value });
    expect(describeRule('serverErrors').advice).not.toContain('No single backend');
  });
});

describe('backendErrors', () => {
  it('says why a request failed last', () => {
    const bench = new RuleBench(rulesOf({}, 'backendErrors'));
    bench.run(3 * MINUTE_MS, together(attempts({ 200: 90, 500: 10 }), causes('main', 'STATUS_500', 10)));
    const why = 'it is in trouble itself, or what stands before it is (STATUS_500)';
    const { summary, facts } = bench.current() ?? {};
    expect(summary).toBe(
      `10 % of the requests to backend main failed in the last 1 min; the last failure: ${why}.`,
    );
    expect(facts).toContainEqual({ name: 'Last failure', value: why });
  });
});

describe('backendErrorBurn', () => {
  it('waits until the short window is full: the first errors of a young gateway are no burn', () => {
    const bench = new RuleBench(rulesOf({}, 'backendErrorBurn'));
    expect(bench.run(4 * MINUTE_MS, attempts({ 200: 90, 500: 10 }))).toEqual([]);
    expect(bench.run(2 * MINUTE_MS, attempts({ 200: 90, 500: 10 }))).toEqual(['fired']);
  });

  it('lets a short burst pass that the long window absorbs', () => {
    const bench = new RuleBench(rulesOf({}, 'backendErrorBurn'));
    bench.run(HOUR_MS, attempts({ 200: 100 }));
    bench.run(MINUTE_MS, attempts({ 200: 70, 500: 30 }));
    bench.run(HOUR_MS, attempts({ 200: 100 }));
    expect(bench.changes).toEqual([]);
  });
});

describe('hitRatioDrop', () => {
  const reads =
    (hits: number, misses: number): Load =>
    gateway => {
      gateway.add('tidegate_requests_total', { status: '200', cache: 'HIT' }, hits);
      gateway.add('tidegate_requests_total', { status: '200', cache: 'MISS' }, misses);
    };

  it('leaves a load alone that never repeats itself', () => {
    const bench = new RuleBench(rulesOf({}, 'hitRatioDrop'));
    bench.run(8 * HOUR_MS, reads(20, 80));
    expect(bench.changes).toEqual([]);
  });

  it('leaves a drop alone that ends where hits still prevail', () => {
    const bench = new RuleBench(rulesOf({ hitRatioDrop: { threshold: 0.7 } }, 'hitRatioDrop'));
    bench.run(7 * HOUR_MS, reads(99, 1));
    bench.run(HOUR_MS, reads(72, 28));
    expect(bench.changes).toEqual([]);
  });
});

describe('slowFirstByte', () => {
  it('tells hits from misses', () => {
    const bench = new RuleBench(rulesOf({}, 'slowFirstByte'));
    bench.run(10 * MINUTE_MS, gateway => {
      gateway.observe('tidegate_request_first_byte_seconds', { cache: 'HIT' }, [0.5, 1, 10], 0.9, 20);
      gateway.observe('tidegate_request_first_byte_seconds', { cache: 'MISS' }, [0.5, 1, 10], 0.9, 20);
    });
    expect(bench.changes.map(({ episode }) => episode.alert.labels)).toEqual([
      { cache: 'hit' },
      { cache: 'hit' },
    ]);
  });

  const bounds = [0.5, 1, 5, 10];
  const slow = (
    cache: string,
    ...backends: readonly [name: string, seconds: number, answers: number][]
  ): Load => {
    return gateway => {
      gateway.observe('tidegate_request_first_byte_seconds', { cache }, bounds, 7, 20);
      for (const [backend, seconds, answers] of backends)
        gateway.observe('tidegate_backend_first_byte_seconds', { backend }, bounds, seconds, answers);
    };
  };
  const slowestBackend = (load: Load) => {
    const bench = new RuleBench(rulesOf({}, 'slowFirstByte'));
    bench.run(10 * MINUTE_MS, load);
    expect(fired(bench)).toEqual(['slowFirstByte']);
    return bench.current()?.facts.find(({ name }) => name === 'Slowest backend')?.value;
  };

  it('names the backend that is slowest, if it has answered often enough to matter', () => {
    const load = slow('MISS', ['main', 0.1, 1_000], ['rare', 9, 1], ['slow', 7, 20]);
    expect(slowestBackend(load)).toMatch(/^slow: .* about 9\.9 s or longer$/);
  });

  it('names none for hits, nor where none has answered', () => {
    expect(slowestBackend(slow('HIT', ['main', 0.1, 1_000]))).toBeUndefined();
    expect(slowestBackend(slow('MISS'))).toBeUndefined();
  });
});

describe('refusedSignatures', () => {
  const refusals =
    (refused: number): Load =>
    gateway => {
      gateway.add(
        'tidegate_error_responses_total',
        { bucket: 'b', code: 'SignatureDoesNotMatch', by: 'gateway' },
        refused,
      );
      gateway.add('tidegate_requests_total', { status: '200', cache: 'HIT' }, 100);
    };

  it('is used to what was so at the same hour of the day before', () => {
    const rules = rulesOf({}, 'refusedSignatures');
    const usual = new RuleBench(rules, MINUTE_MS);
    usual.run(HOUR_MS, refusals(10));
    expect(fired(usual)).toEqual(['refusedSignatures']);
    usual.run(26 * HOUR_MS, refusals(10));
    expect(usual.changes.at(-1)?.transition).toBe('resolved');
    expect(usual.run(HOUR_MS, refusals(45))).toEqual([]);
    expect(usual.run(HOUR_MS, refusals(60))).toEqual(['pending', 'fired']);
  });
});

it('keys that callers may not know to be missing are no refused signatures', () => {
  const absent: Load = gateway => {
    gateway.add('tidegate_error_responses_total', { bucket: 'b', code: 'AccessDenied', by: 'store' }, 90);
    gateway.add('tidegate_requests_total', { status: '403', cache: 'MISS' }, 100);
  };
  const bench = new RuleBench(rulesOf({}, 'refusedSignatures'));
  bench.run(HOUR_MS, absent);
  expect(bench.changes).toEqual([]);
});

it.each(['400', '403', '404', '405', '501'])('%s from a backend is no failure of it', status => {
  const bench = new RuleBench(createRules());
  bench.run(80 * MINUTE_MS, gateway => {
    attempts({ [status]: 100 })(gateway);
    gateway.add('tidegate_requests_total', { status, cache: 'BYPASS' }, 100);
  });
  expect(bench.changes).toEqual([]);
});

describe('archivedObjects', () => {
  const refused: Load = gateway =>
    gateway.add('tidegate_error_responses_total', { bucket: 'b', code: 'InvalidObjectState' }, 1);

  it('names the objects and is about them, the one most asked for first', () => {
    const bench = new RuleBench(rulesOf({}, 'archivedObjects'));
    bench.archived = [
      { bucket: 'b', key: 'old/film.mov', versionId: 'v1', count: 9 },
      { bucket: 'b', key: 'old/still.png', count: 3 },
      { bucket: 'other', key: 'x', count: 30 },
    ];
    bench.run(2 * MINUTE_MS, refused);
    const film = { bucket: 'b', key: 'old/film.mov', versionId: 'v1' };
    const still = { bucket: 'b', key: 'old/still.png' };
    expect(bench.changes[0]?.episode.alert).toMatchObject({
      subjects: [film, still],
      facts: expect.arrayContaining([
        { name: 'Object', value: 'old/film.mov, version v1 (9 times)', object: film },
        { name: 'Object', value: 'old/still.png (3 times)', object: still },
      ]),
    });
  });

  it('is about no object where none was noted', () => {
    const bench = new RuleBench(rulesOf({}, 'archivedObjects'));
    bench.run(2 * MINUTE_MS, refused);
    expect(bench.changes[0]?.episode.alert).not.toHaveProperty('subjects');
  });

  it('counts no other error code', () => {
    const bench = new RuleBench(rulesOf({}, 'archivedObjects'));
    bench.run(5 * MINUTE_MS, gateway =>
      gateway.add('tidegate_error_responses_total', { bucket: 'b', code: 'NoSuchKey' }, 100),
    );
    expect(bench.changes).toEqual([]);
  });
});

it('has a title and advice for every name in alerts.rules, and the bare name for any other', () => {
  for (const name of alertNames) {
    const { title, advice } = describeRule(name);
    expect(title.length, name).toBeGreaterThan(5);
    expect(title.length, name).toBeLessThan(60);
    expect(advice.length, name).toBeGreaterThan(20);
  }
  expect(describeRule('fromTheFuture')).toEqual({ title: 'fromTheFuture', advice: '' });
});

describe('backendUnreachable', () => {
  const breaker =
    (state: number): Load =>
    gateway =>
      gateway.set('tidegate_backend_breaker_state', { backend: 'main' }, state);

  it('fires while the circuit breaker is not closed, though some requests succeed, and says why', () => {
    const bench = new RuleBench(rulesOf({}, 'backendUnreachable'));
    const mixed = together(attempts({ 200: 10, 500: 12 }), causes('main', 'STATUS_500'));
    expect(bench.run(MINUTE_MS, together(mixed, breaker(0)))).toEqual([]);
    expect(bench.run(MINUTE_MS, together(causes('main', 'STATUS_500'), breaker(2)))).toEqual(['fired']);
    expect(bench.current()?.summary).toContain('asked only now and then');
    expect(bench.current()?.cause).toBe('STATUS_500');
    expect(bench.run(MINUTE_MS, together(mixed, breaker(0)))).toEqual(['resolved']);
  });
});

it('stateDirectory is named so that it is true after the state was written again, too', () => {
  const bench = new RuleBench(rulesOf({}, 'stateDirectory'));
  const usableAfter =
    (failures: number): Load =>
    gateway => {
      gateway.set('tidegate_state_usable', {}, 1);
      gateway.add('tidegate_state_failures_total', {}, failures);
    };
  bench.run(10 * MINUTE_MS, usableAfter(0));
  bench.run(5_000, usableAfter(1));
  expect(bench.current()?.summary).toContain('and was written again');
  expect(describeRule('stateDirectory').title).toContain('or could not recently');
});

describe('lines of the log', () => {
  const file = '/var/log/access.log';
  const drops =
    (count: number): Load =>
    gateway => {
      gateway.set('tidegate_access_log_usable', { file }, 1);
      gateway.add('tidegate_log_dropped_lines_total', {}, count);
    };

  it('that were dropped are told of for ten minutes, however they were', () => {
    const bench = new RuleBench(rulesOf({}, 'logLines'));
    bench.run(10 * MINUTE_MS, drops(0));
    bench.run(5_000, drops(7));
    expect(fired(bench)).toEqual(['logLines']);
    const { alert } = bench.changes.at(-1)?.episode ?? {};
    expect(alert?.summary).toContain('Lines of the log were dropped in the last 10 min');
    expect(alert?.facts).toEqual([{ name: 'Dropped lines', value: '7 in 10 min' }]);
    bench.run(9 * MINUTE_MS, drops(0));
    expect(bench.changes.at(-1)?.transition).toBe('fired');
    bench.run(3 * MINUTE_MS, drops(0));
    expect(bench.changes.at(-1)?.transition).toBe('resolved');
  });

  it('that wait are told of with their file, and with what is dropped of them meanwhile', () => {
    const bench = new RuleBench(rulesOf({}, 'logLines'));
    bench.run(MINUTE_MS, drops(0));
    bench.run(MINUTE_MS, gateway => {
      drops(7)(gateway);
      gateway.set('tidegate_access_log_usable', { file }, 0);
    });
    expect(fired(bench)).toEqual(['logLines']);
    const facts = [
      { name: 'File', value: file },
      { name: 'Dropped lines', value: '84 in 10 min' },
    ];
    expect(bench.current()).toMatchObject({ labels: { file }, facts });
    bench.run(5 * MINUTE_MS, drops(0));
    expect(bench.current()?.summary).toContain('Lines of the log were dropped');
  });
});
