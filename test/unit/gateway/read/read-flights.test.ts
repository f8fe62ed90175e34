import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { ReadFlights } from '../../../../src/gateway/read/read-flights.ts';
import type { Audience } from '../../../../src/gateway/read/single-flight.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { parseRequestDirectives } from '../../../../src/http/request-directives.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { readOf } from '../../../support/object-reads.ts';
import { anythingLearned } from '../../../support/records.ts';

const clock = new ManualClock();
const isDue = () => true;

/** Questions at a store that answers none, each with what aborts it. */
function hangingQuestions() {
  const { flights } = asking();
  const signals: AbortSignal[] = [];
  const hanging = (_: ObjectRead, { signal }: Audience) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  return { flights, signals, hanging };
}

/** What is asked, each answered with the same. */
function asking() {
  const asked: ObjectRead[] = [];
  const flights = new ReadFlights(
    {
      askedNow: () => ({ epoch: 0, barrier: 0, isUnsettled: false, heldTags: [] }),
      isStillAsked: () => true,
    },
    clock,
  );
  const ask = (read: ObjectRead) => {
    asked.push(read);
    return Promise.resolve(anythingLearned);
  };
  return { asked, flights, ask };
}

it('all who want the same share one question, and are told so', async () => {
  const { asked, flights, ask } = asking();
  const answers = [flights.shared(readOf('k'), 'q', ask), flights.shared(readOf('k'), 'q', ask)];
  expect(flights.running).toBe(1);
  expect((await Promise.all(answers)).map(({ isCollapsed }) => isCollapsed)).toEqual([false, true]);
  expect([asked.length, flights.coalesced]).toEqual([1, 1]);
});

it('what is begun for later is joined by who waits, and nobody counts as coalesced by it', async () => {
  const { asked, flights, ask } = asking();
  for (let time = 0; time < 3; time++) flights.begin(readOf('k'), 'q', ask, isDue);
  expect(flights.coalesced).toBe(0);
  expect((await flights.shared(readOf('k'), 'q', ask)).isCollapsed).toBe(true);
  expect(asked).toHaveLength(1);
});

it('that nobody waits for a failure is no unhandled one', async () => {
  const { flights } = asking();
  flights.begin(readOf('k'), 'q', () => Promise.reject(new Error('failed')), isDue);
  await new Promise(resolve => setImmediate(resolve));
  expect(flights.running).toBe(0);
});

it('what one client asks of the cache is nothing to those who share its question', async () => {
  const { asked, flights, ask } = asking();
  const directives = parseRequestDirectives('no-cache', undefined);
  await flights.shared(readOf('k', { directives }), 'q', ask);
  expect(asked[0]?.directives).toBeUndefined();
});

it('sixteen questions that nobody waits for are under way at a time to a store; those that are waited for are asked', async () => {
  const { asked, flights, ask } = asking();
  const { promise, resolve } = Promise.withResolvers<typeof anythingLearned>();
  const hanging = (read: ObjectRead) => {
    asked.push(read);
    return promise;
  };
  for (let number = 0; number < 40; number++) flights.begin(readOf(`k${number}`), 'q', hanging, isDue);
  expect(asked).toHaveLength(16);
  const other = readOf('k', {
    bucket: { ...readOf('k').bucket, store: { ...readOf('k').bucket.store, name: 'other' } },
  });
  flights.begin(other, 'q', ask, isDue);
  await flights.shared(readOf('waited for'), 'q', ask);
  expect(asked).toHaveLength(18);
  resolve(anythingLearned);
  await promise;
  await new Promise(done => setImmediate(done));
  for (let number = 0; number < 40; number++) flights.begin(readOf(`k${number}`), 'q', ask, isDue);
  // and those that had waited for their turn
  expect(asked).toHaveLength(18 + 24 + 16);
});

it('of the questions whose readers have left, sixteen go on to a store and the others are aborted', async () => {
  const { flights } = asking();
  const { promise, resolve } = Promise.withResolvers<typeof anythingLearned>();
  const signals: AbortSignal[] = [];
  const leaving = new AbortController();
  const hanging = (_: ObjectRead, { signal }: Audience) => {
    signals.push(signal);
    return promise;
  };
  for (let number = 0; number < 40; number++)
    void flights.shared(readOf(`k${number}`), 'q', hanging, { gone: leaving.signal, client: 'one' });
  leaving.abort();
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(24);
  // they take no places of those that nobody has waited for
  for (let number = 0; number < 20; number++) flights.begin(readOf(`later${number}`), 'q', hanging, isDue);
  expect(signals).toHaveLength(40 + 16);
  resolve(anythingLearned);
  await promise;
  await new Promise(done => setImmediate(done));
  const again = new AbortController();
  const waiting = new Promise<never>(() => undefined);
  const last: AbortSignal[] = [];
  void flights.shared(
    readOf('k0'),
    'q',
    (_, { signal }) => {
      last.push(signal);
      return waiting;
    },
    { gone: again.signal, client: 'one' },
  );
  again.abort();
  expect(last[0]?.aborted).toBe(false);
});

it('who has left asks nothing', async () => {
  const { asked, flights, ask } = asking();
  const gone = AbortSignal.abort(new Error('left'));
  await expect(flights.shared(readOf('k'), 'q', ask, { gone, client: 'one' })).rejects.toThrow('left');
  expect(asked).toEqual([]);
});

it('what is begun for later keeps a question that its readers have left in a place of its own, and no more', () => {
  const { flights, signals, hanging } = hangingQuestions();
  const leaving = new AbortController();
  for (let number = 0; number < 40; number++) {
    void flights.shared(readOf(`k${number}`), 'q', hanging, { gone: leaving.signal, client: 'one' });
    flights.begin(readOf(`k${number}`), 'q', hanging, isDue);
  }
  expect(signals).toHaveLength(40);
  leaving.abort();
  // the places of both kinds
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(40 - 16 - 16);
});

it('who fills the places of questions that were left, and leaves one that others want, does not end it', () => {
  const { flights, signals, hanging } = hangingQuestions();
  const filling = new AbortController();
  for (let number = 0; number < 20; number++)
    void flights.shared(readOf(`k${number}`), 'q', hanging, { gone: filling.signal, client: 'one' });
  filling.abort();
  const leading = new AbortController();
  void flights.shared(readOf('hot'), 'q', hanging, { gone: leading.signal, client: 'one' });
  flights.begin(readOf('hot'), 'q', hanging, isDue, { client: 'other' });
  leading.abort();
  expect(signals.at(-1)?.aborted).toBe(false);
});

it('nothing is begun while its own question is under way', () => {
  const { flights, signals, hanging } = hangingQuestions();
  void flights.shared(readOf('k'), 'q', hanging);
  flights.begin(readOf('k'), 'q', hanging, isDue);
  expect(signals).toHaveLength(1);
});

it('a question at which the store hangs is given up for others, and asked apart from them', () => {
  const { flights, signals, hanging } = hangingQuestions();
  for (let number = 0; number < 17; number++)
    flights.begin(readOf(`k${number}`), 'q', hanging, isDue, { client: String(number) });
  expect(signals).toHaveLength(16);
  // they go on as what was left, until those places are taken
  const leaving = new AbortController();
  for (let number = 0; number < 20; number++)
    void flights.shared(readOf(`left${number}`), 'q', hanging, {
      gone: leaving.signal,
      client: `leaving ${number}`,
    });
  leaving.abort();
  clock.advance(10_000);
  flights.begin(readOf('later'), 'q', hanging, isDue, { client: 'later' });
  expect(signals[0]?.aborted).toBe(true);
  const asked = signals.length;
  flights.begin(readOf('k0'), 'q', hanging, isDue, { client: 'again' });
  expect(signals).toHaveLength(asked + 1);
});

it('what has timed out is asked apart, until the store answers it, be it with a refusal', async () => {
  const { flights } = asking();
  const refused = new RefusedByStoreError({ status: 404, headers: {}, body: Buffer.alloc(0) } as never);
  const timedOut = new StoreError('TIMEOUT', 'no answer', undefined);
  const asked: string[] = [];
  const begin = (name: string, answer: Promise<never>) =>
    flights.begin(
      readOf(name),
      'q',
      () => {
        asked.push(name);
        return answer;
      },
      isDue,
    );
  const settled = () => new Promise(resolve => setImmediate(resolve));
  const hanging = new Promise<never>(() => undefined);
  for (const name of ['a', 'b', 'c', 'd', 'e']) begin(name, Promise.reject(timedOut));
  await settled();
  begin('a', Promise.reject(refused));
  await settled();
  asked.length = 0;
  for (const name of ['b', 'c', 'd', 'e', 'b', 'a']) begin(name, hanging);
  expect(asked).toEqual(['b', 'c', 'd', 'e', 'a']);
  begin('f', Promise.reject(timedOut));
  await settled();
  begin('f', hanging);
  expect(asked.filter(name => name === 'f')).toHaveLength(1);
});

it('what is given up has no effect on who has joined it meanwhile', () => {
  const { flights, signals, hanging } = hangingQuestions();
  const leaving = new AbortController();
  void flights.shared(readOf('k'), 'q', hanging, { gone: leaving.signal, client: 'one' });
  leaving.abort();
  void flights.shared(readOf('k'), 'q', hanging);
  const later = new AbortController();
  for (let number = 0; number < 20; number++)
    void flights.shared(readOf(`k${number}`), 'q', hanging, { gone: later.signal, client: 'one' });
  later.abort();
  expect(signals[0]?.aborted).toBe(false);
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(5);
});

it('what was to give way while somebody waited takes a place anew once that reader has left too', () => {
  const { flights, signals, hanging } = hangingQuestions();
  const leave = (names: readonly string[], client: string) => {
    const leaving = new AbortController();
    for (const name of names)
      void flights.shared(readOf(name), 'q', hanging, { gone: leaving.signal, client });
    return () => leaving.abort();
  };
  const firstNames = Array.from({ length: 16 }, (_, number) => `first ${number}`);
  leave(firstNames, 'one')();
  const leaveAgain = leave(firstNames, 'one');
  leave(
    Array.from({ length: 8 }, (_, number) => `second ${number}`),
    'two',
  )();
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(0);
  leaveAgain();
  expect(signals.filter(({ aborted }) => !aborted)).toHaveLength(16);
});
