import { beforeEach, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import type { BackgroundTurns, Outcome } from '../../../../src/gateway/read/background-turns.ts';
import { Hedging } from '../../../../src/gateway/web/hedging.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import type { WebFetch } from '../../../../src/gateway/web/web-fetch.ts';
import { type Landing, WebFlight } from '../../../../src/gateway/web/web-flight.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PATIENCE_MS = 1_000;

/** A hedge that was sent. */
interface Sent {
  readonly by: string;
  readonly flight: WebFlight;
  hasLeft: boolean;
}

let clock: ManualClock;
/** Questions that wait for a place in the background, and what it was told of those that had one. */
let waiting: Parameters<BackgroundTurns['ask']>[1][];
let outcomes: Outcome[];
let sent: Sent[];
let learned: string[];
/** Whether there are places in the background. */
let hasPlaces: boolean;
let hedging: Hedging;

beforeEach(() => {
  clock = new ManualClock();
  [waiting, outcomes, sent, learned, hasPlaces] = [[], [], [], [], true];
  const background = {
    ask: (_store: string, question: (typeof waiting)[number]) => {
      if (hasPlaces) question.begin(outcome => outcomes.push(outcome));
      else waiting.push(question);
    },
  };
  const nameOf = ({ client }: WebRead) => client.quota;
  hedging = new Hedging({
    ...{ clock, background: background as unknown as BackgroundTurns },
    flights: {
      patienceMs: () => PATIENCE_MS,
      learnLate: read => learned.push(`late ${nameOf(read)}`),
      learnTook: read => learned.push(`took ${nameOf(read)}`),
    },
    send: (read, flight) => {
      const one: Sent = { by: nameOf(read), flight, hasLeft: false };
      sent.push(one);
      const left = () => {
        one.hasLeft = true;
      };
      return { left } as unknown as WebFetch;
    },
    asNobody: () => readOf('nobody'),
    isOfEach: () => false,
  });
});

function readOf(quota: string): WebRead {
  const read = {
    ...{ client: { quota }, sent: [httpHeader('x-session', quota)], isPersonal: false },
    ...{ bucket: { store: { name: 'web' } }, target: { key: { text: '/k' } } },
    ...{ variantName: () => '', asGet: () => read, withRangeOf: () => read },
  };
  return read as unknown as WebRead;
}

/** A question of `first` for which these clients wait. */
function flightOf(readers: readonly string[], isOfRange = false): WebFlight {
  const flight = new WebFlight(readOf('first'), clock.monotonicMs(), () => {}, isOfRange);
  for (const quota of readers)
    flight.wait(
      readOf(quota),
      () => {},
      () => false,
    );
  hedging.watch(flight);
  return flight;
}

function begin({ flight }: Pick<Sent, 'flight'>): void {
  const head = readWebHead({ status: 200, fields: [] });
  flight.answered({ head, times: {} as never, by: flight.first, hasBody: true, isFor: 'all' });
}

const stored: Landing = { kind: 'stored', record: {} as never, how: 'fetched', status: 200 };
const failed = (code: 'TIMEOUT' | 'BROKEN'): Landing => ({
  kind: 'failed',
  error: new StoreError(code, 'no answer', undefined),
});
const askedInNamesOf = () => sent.map(({ by }) => by);

it('asks in the name of one who waits each time that patience is over, the second time in nobody’s, four times in all', () => {
  flightOf(['b', 'c', 'd', 'e', 'f']);
  clock.advance(PATIENCE_MS - 1);
  expect(sent).toEqual([]);
  const counts = [1, PATIENCE_MS, PATIENCE_MS, PATIENCE_MS, PATIENCE_MS].map(passedMs => {
    clock.advance(passedMs);
    return sent.length;
  });
  expect(counts).toEqual([1, 2, 3, 4, 4]);
  expect(askedInNamesOf().indexOf('nobody')).toBe(1);
});

it('watches nothing that is over', () => {
  const flight = new WebFlight(readOf('first'), 0, () => {});
  flight.land(stored);
  hedging.watch(flight);
  expect(flight.hedges).toBeUndefined();
});

it('asks no other while an answer that has begun brings 1 KiB in the time of patience', () => {
  flightOf(['b', 'c', 'd']);
  clock.advance(PATIENCE_MS);
  const [first] = sent;
  if (!first) return expect.unreachable('not asked');
  begin(first);
  clock.advance(PATIENCE_MS);
  first.flight.cameBytes = 1_024;
  clock.advance(PATIENCE_MS);
  expect(sent).toHaveLength(1);
  first.flight.cameBytes += 1_023;
  clock.advance(PATIENCE_MS);
  expect(sent).toHaveLength(2);
});

it.each([
  [false, ['late first', 'took d']],
  [true, ['late first']],
])(
  'an answer for all ends the wait, and is the measure unless it is a range (%j): %j',
  (isOfRange, expected) => {
    const flight = flightOf(['b', 'd', 'c'], isOfRange);
    clock.advance(PATIENCE_MS);
    sent[0]?.flight.land(stored);
    expect([flight.isOver, learned, outcomes]).toEqual([true, expected, ['answered']]);
  },
);

it('a hedge that hangs is late, and one that breaks off is not', () => {
  flightOf(['b', 'd', 'c']);
  clock.advance(PATIENCE_MS);
  sent[0]?.flight.land(failed('BROKEN'));
  clock.advance(PATIENCE_MS);
  sent[1]?.flight.land(failed('TIMEOUT'));
  expect([learned, outcomes]).toEqual([['late nobody'], ['failed', 'hung']]);
});

it('without places in the background one of a client is sent at a time, and nobody’s', () => {
  hasPlaces = false;
  flightOf(['b', 'c', 'd', 'e', 'f', 'g']);
  clock.advance(2 * PATIENCE_MS);
  expect(sent).toHaveLength(1);
  clock.advance(PATIENCE_MS);
  expect(askedInNamesOf()[1]).toBe('nobody');
  sent[1]?.flight.land(failed('BROKEN'));
  clock.advance(PATIENCE_MS);
  expect(sent).toHaveLength(2);
  sent[0]?.flight.land(failed('BROKEN'));
  clock.advance(PATIENCE_MS);
  expect(sent).toHaveLength(3);
  // the places come late: what was sent without one, the latest first, is not due any more
  expect(waiting.map(question => question.isStillDue())).toEqual([false, false, true, false]);
});

it('gives up what goes on for ever once nobody waits, which says nothing of the origin', () => {
  const flight = flightOf(['b', 'c', 'd']);
  clock.advance(PATIENCE_MS);
  const [hedge] = sent;
  if (!hedge) return expect.unreachable('not asked');
  begin(hedge);
  flight.land(stored);
  expect(hedge.hasLeft).toBe(false);
  clock.advance(PATIENCE_MS);
  expect(hedge.hasLeft).toBe(true);
  hedge.flight.land(failed('TIMEOUT'));
  expect([outcomes, learned]).toEqual([['failed'], []]);
});
