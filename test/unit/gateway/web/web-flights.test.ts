import { beforeEach, expect, it } from 'vitest';
import { ASKED_RANGE } from '../../../../src/gateway/web/asked-range.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import type { BegunAnswer, Landing } from '../../../../src/gateway/web/web-flight.ts';
import { type FlightKind, WebFlights } from '../../../../src/gateway/web/web-flights.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';

const key = testKey('web', '/', '/k');
const asked = { epoch: 0, barrier: 0, isUnsettled: false, heldTags: [] };
let clock: ManualClock;
let flights: WebFlights;

beforeEach(() => {
  clock = new ManualClock();
  const known = { isStillAsked: () => true, mayShareBegun: () => true, variantOf: () => '' };
  flights = new WebFlights(clock, known);
});

function readOf(quota: string, own: { readonly range?: string; readonly a?: string } = {}): WebRead {
  const variantName = (names: readonly string[]) => (names.includes('x-a') ? (own.a ?? '') : '');
  const sent = own.a === undefined ? [] : [httpHeader('x-a', own.a)];
  const read = {
    method: 'GET',
    client: { quota },
    target: { key },
    fields: { range: own.range },
    sent,
    variantName,
  };
  return read as unknown as WebRead;
}

function begun(status: number, vary?: string, by = readOf('by')): BegunAnswer {
  const head = readWebHead({ status, fields: vary === undefined ? [] : [httpHeader('vary', vary)] });
  const times = { ...asked, groupSlots: () => 0, requestedMs: 0, receivedMs: 0 };
  return { head, times, by, hasBody: true, isFor: 'all' };
}

const stored = (status = 200) =>
  ({
    kind: 'stored',
    record: { answer: { status, vary: [] } },
    how: 'fetched',
    status,
  }) as unknown as Landing;
const alone = (status: number, because = 'answer') =>
  ({ kind: 'alone', because, arrived: begun(status) }) as unknown as Landing;

/** A question that another waits for lands after `ms`. */
function landed(read: WebRead, kind: FlightKind, landing: Landing, ms = 0, isAwaited = true): void {
  const flight = flights.begin(read, kind, asked as never);
  if (isAwaited)
    flight.wait(
      readOf('waits'),
      () => {},
      () => false,
    );
  clock.advance(ms);
  flight.land(landing);
}

const range = 'bytes=0-9';

it('what has landed is joined by nobody, whatever its head has said of variants', () => {
  const read = readOf('a', { a: '1' });
  const flight = flights.begin(read, 'whole', asked as never);
  flight.answered(begun(200, 'x-a', read));
  flight.land(stored());
  expect(flights.of(readOf('b'), 'whole')).toBeUndefined();
});

it('all that a read selects has begun once its head has come, for its variant, also where it is of the same late client', () => {
  const read = readOf('a', { a: '1' });
  const flight = flights.begin(read, 'whole', asked as never);
  expect(flights.hasBegun(read)).toBe(false);
  flight.answered(begun(200, 'x-a', read));
  expect([flights.hasBegun(read), flights.hasBegun(readOf('b', { a: '2' }))]).toEqual([true, false]);
  flight.land(stored());
  flights.learnLate(read);
  flights.begin(read, 'whole', asked as never).answered(begun(200, undefined, read));
  expect([flights.hasBegun(read), flights.hasBegun(readOf('b'))]).toEqual([true, false]);
});

it('a range is shared with those alone who ask for no more of it', () => {
  flights.begin(readOf('a', { range }), 'range', asked as never);
  expect(flights.of(readOf('b', { range: 'bytes=0-4' }), 'range')).toBeDefined();
  expect(flights.of(readOf('b', { range: 'bytes=0-19' }), 'range')).toBeUndefined();
});

it.each([
  ['200', alone(200), false],
  ['206', alone(206), false],
  ['a redirect', alone(302), true],
  ['206, because of its request', alone(206, 'request'), true],
])(
  'a range that was %s for its reader alone tells others whether to wait, for a minute',
  (_, landing, mayShare) => {
    landed(readOf('a', { range }), 'range', landing);
    expect(flights.mayShareRange(readOf('b', { range }))).toBe(mayShare);
    clock.advance(60_000);
    expect(flights.mayShareRange(readOf('b', { range }))).toBe(true);
  },
);

it.each([
  ['that nobody has waited for', 'range', false],
  ['of the whole', 'whole', true],
] as const)('a question %s tells nothing of ranges', (_, kind, isAwaited) => {
  landed(readOf('a', { range }), kind, alone(206), 0, isAwaited);
  expect(flights.mayShareRange(readOf('b', { range }))).toBe(true);
});

it('parts that are not combined are for those who ask for the very same, until the whole is kept', () => {
  const part = { answer: { status: 206, vary: [ASKED_RANGE] } };
  const joins = () => {
    const flight = flights.begin(readOf('a', { range }), 'range', asked as never);
    const joined = [range, 'bytes=0-4'].map(
      each => flights.of(readOf('b', { range: each }), 'range') === flight,
    );
    flight.land(alone(302));
    return joined;
  };
  landed(readOf('a', { range }), 'range', stored(200));
  expect(joins()).toEqual([true, true]);
  landed(readOf('a', { range }), 'range', { ...stored(206), record: part } as never);
  expect(joins()).toEqual([true, false]);
  landed(readOf('a', { range }), 'range', stored(200));
  expect(joins()).toEqual([true, true]);
});

it('patience is measured by whole answers to who is not late', () => {
  landed(readOf('a'), 'head', stored(), 2_400);
  expect(flights.patienceMs(readOf('b'))).toBe(2_000);
  flights.learnLate(readOf('a'));
  landed(readOf('a'), 'whole', stored(), 2_400);
  expect(flights.patienceMs(readOf('b'))).toBe(2_000);
  landed(readOf('b'), 'whole', stored(), 2_400);
  expect(flights.patienceMs(readOf('b'))).toBe(4_800);
});

it.each([
  [1_000, false],
  [999, true],
])('who was late and is answered after %i ms leads for others: %s', (ms, leads) => {
  flights.learnLate(readOf('a'));
  landed(readOf('a'), 'whole', stored(), ms);
  flights.begin(readOf('a'), 'whole', asked as never);
  expect(flights.of(readOf('b'), 'whole') !== undefined).toBe(leads);
  expect(flights.of(readOf('a'), 'whole')).toBeDefined();
});

it('what has begun beside is joined by those who select what its reader does', () => {
  const flight = flights.begin(readOf('a', { a: '1' }), 'whole', asked as never);
  flight.answered(begun(200, 'x-a', readOf('b', { a: '2' })));
  expect(flights.of(readOf('c', { a: '2' }), 'whole')).toBe(flight);
  expect(flights.of(readOf('d', { a: '1' }), 'whole')).toBeUndefined();
});

it('what has landed varies by nothing any more, and no name is left of it', () => {
  const read = readOf('a', { a: '1' });
  const flight = flights.begin(read, 'whole', asked as never);
  flight.answered(begun(200, 'x-a', read));
  expect(flights.variesBy(read)).toEqual(['x-a']);
  flight.land({ kind: 'alone', because: 'answer' });
  expect(flights.variesBy(read)).toBeUndefined();
});

it('a variant is looked for by what the answer varies by that began last', () => {
  const [one, other] = [readOf('a', { a: '1' }), readOf('b', { a: '1' })];
  flights.begin(one, 'whole', asked as never).answered(begun(200, undefined, one));
  const last = flights.begin(other, 'whole', asked as never);
  last.answered(begun(200, 'x-a', other));
  expect(flights.of(readOf('c', { a: '1' }), 'whole')).toBe(last);
});

it('what a question varies by counts that nobody else waits for, but names no variant', () => {
  const [alone, first] = [readOf('a', { a: '1' }), readOf('b', { a: '1' })];
  const own = flights.beginAlone(alone, () => undefined);
  const flight = flights.begin(first, 'whole', asked as never);
  flight.answered(begun(200, 'x-a', first));
  own.answered(begun(200, 'x-b', alone));
  expect(flights.variesBy(first)).toEqual(['x-a', 'x-b']);
  expect(flights.of(readOf('c', { a: '1' }), 'whole')).toBe(flight);
  own.land({ kind: 'alone', because: 'answer' });
  expect(flights.variesBy(first)).toEqual(['x-a']);
});
