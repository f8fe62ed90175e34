import { describe, expect, it, vi } from 'vitest';
import { DesertedError } from '../../../../src/gateway/fill/fill-error.ts';
import { type Audience, SingleFlight } from '../../../../src/gateway/read/single-flight.ts';

/** Requests by name; each is answered when a test says so. */
function flying() {
  const flights = new SingleFlight<string>();
  const asked: PromiseWithResolvers<string>[] = [];
  const audiences: Audience[] = [];
  const goesOn = vi.fn(() => false);
  const join = (name: string, epoch = 0, gone?: AbortSignal, client = 'client') =>
    flights.join(
      name,
      { epoch, barrier: 0, isUnsettled: false },
      {
        isStillAsked: asked => asked.epoch === epoch,
        ask: audience => {
          const asking = Promise.withResolvers<string>();
          asked.push(asking);
          audiences.push(audience);
          return asking.promise;
        },
        goesOn,
      },
      gone && { gone, client },
    );
  return { flights, asked, audiences, goesOn, join };
}

it('those who ask the same while it is asked share one answer', async () => {
  const { flights, asked, join } = flying();
  const [one, same, other] = [join('a'), join('a'), join('b')];
  expect([one, same, other].map(({ isJoined }) => isJoined)).toEqual([false, true, false]);
  expect([asked.length, flights.running.size]).toEqual([2, 2]);
  asked[0]?.resolve('answer');
  expect(await Promise.all([one.answer, same.answer])).toEqual(['answer', 'answer']);
  expect(flights.running.size).toBe(1);
  expect(join('a').isJoined).toBe(false);
});

it('what another client, or nobody in particular, waits for as well is shared, and what one client asks for twice is not', () => {
  const { audiences, join } = flying();
  const { signal } = new AbortController();
  for (const client of ['a', 'a']) join('one client', 0, signal, client);
  for (const client of ['a', 'b']) join('two clients', 0, signal, client);
  join('nobody', 0, signal, 'a');
  join('nobody');
  expect(audiences.map(({ shared }) => shared.aborted)).toEqual([false, true, true]);
});

it('who asks after a purge joins nothing from before it, and is joined by the next', async () => {
  const { flights, asked, join } = flying();
  const before = join('a', 1);
  const after = join('a', 2);
  expect(after.isJoined).toBe(false);
  expect(flights.running.size).toBe(2);
  asked[0]?.resolve('old');
  await before.answer;
  await Promise.resolve();
  // the end of the older one is not that of the newer one
  expect(join('a', 2).isJoined).toBe(true);
  expect(flights.running.size).toBe(1);
});

it('a question that fails is over too', async () => {
  const { flights, asked, join } = flying();
  const failed = expect(join('a').answer).rejects.toThrow('gone');
  asked[0]?.reject(new Error('gone'));
  await failed;
  await Promise.resolve();
  expect([flights.running.size, join('a').isJoined]).toEqual([0, false]);
});

describe('when those who wait leave', () => {
  it('a question goes on while one of them waits, and is aborted and joined by nobody after the last', () => {
    const { audiences, asked, join, goesOn } = flying();
    const [first, second] = [new AbortController(), new AbortController()];
    join('a', 0, first.signal);
    join('a', 0, second.signal);
    first.abort();
    expect([audiences[0]?.isGone, audiences[0]?.signal.aborted, goesOn.mock.calls.length]).toEqual([
      ...[false, false, 0],
    ]);
    second.abort();
    expect([audiences[0]?.isGone, audiences[0]?.signal.aborted]).toEqual([true, true]);
    expect(audiences[0]?.signal.reason).toBeInstanceOf(DesertedError);
    expect(join('a').isJoined).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('one that somebody waits for in any case is never aborted', () => {
    const { audiences, join, goesOn } = flying();
    const leaving = new AbortController();
    join('a');
    join('a', 0, leaving.signal);
    leaving.abort();
    expect([audiences[0]?.isGone, goesOn.mock.calls.length]).toEqual([false, 0]);
  });

  it('one that may go on does so to its end, is joined by whoever comes, and is not asked about again', async () => {
    const { audiences, asked, flights, join, goesOn } = flying();
    goesOn.mockReturnValue(true);
    const [first, later] = [new AbortController(), new AbortController()];
    join('a', 0, first.signal);
    first.abort();
    expect([audiences[0]?.isGone, audiences[0]?.signal.aborted]).toEqual([true, false]);
    const joined = join('a', 0, later.signal);
    expect([joined.isJoined, audiences[0]?.isGone]).toEqual([true, false]);
    later.abort();
    expect([audiences[0]?.signal.aborted, goesOn.mock.calls.length]).toEqual([false, 1]);
    asked[0]?.resolve('answer');
    expect(await joined.answer).toBe('answer');
    await Promise.resolve();
    expect(flights.running.size).toBe(0);
  });

  it('after the answer, nothing is aborted', async () => {
    const { audiences, asked, join, goesOn } = flying();
    const leaving = new AbortController();
    const { answer } = join('a', 0, leaving.signal);
    asked[0]?.resolve('answer');
    await answer;
    await Promise.resolve();
    leaving.abort();
    expect([audiences[0]?.signal.aborted, goesOn.mock.calls.length]).toEqual([false, 0]);
  });
});
