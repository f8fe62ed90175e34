import { describe, expect, it, vi } from 'vitest';
import { DesertedError } from '../../../../src/gateway/fill/fill-error.ts';
import type { Audience } from '../../../../src/gateway/read/flight.ts';
import { SingleFlight } from '../../../../src/gateway/read/single-flight.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LATE_MS = 2_000;

/** Requests by name; each is answered when a test says so. */
function flying() {
  const clock = new ManualClock();
  const flights = new SingleFlight<string>(clock);
  const asked: PromiseWithResolvers<string>[] = [];
  const audiences: Audience[] = [];
  const goesOn = vi.fn(() => false);
  const join = (name: string, epoch = 0, gone?: AbortSignal, isForLater = false) =>
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
        isLate: sentMs => clock.monotonicMs() - sentMs >= LATE_MS,
        goesOn,
      },
      { gone, isForLater },
    );
  return { clock, flights, asked, audiences, goesOn, join };
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

describe('readers who come back to a question that others are tired of', () => {
  /** It goes on. */
  function deserted() {
    const requests = flying();
    requests.goesOn.mockReturnValue(true);
    return { ...requests, left: leaving(requests) };
  }

  /** Asks about `a`, and leaves. */
  function leaving({ join }: Pick<ReturnType<typeof flying>, 'join'>) {
    const gone = new AbortController();
    const { answer } = join('a', 0, gone.signal);
    gone.abort();
    return answer;
  }

  const aborted = ({ audiences }: Pick<ReturnType<typeof flying>, 'audiences'>) =>
    audiences.map(({ signal }) => signal.aborted);

  it('share one other, sent beside it, where it is late', async () => {
    const requests = deserted();
    requests.clock.advance(LATE_MS);
    const answers = [requests.join('a'), requests.join('a'), requests.join('a')];
    expect([requests.asked.length, aborted(requests)]).toEqual([2, [false, false]]);
    requests.asked[1]?.resolve('new');
    expect(await Promise.all(answers.map(({ answer }) => answer))).toEqual(['new', 'new', 'new']);
    expect(requests.flights.running.size).toBe(0);
  });

  it('share one other as soon as it is late', () => {
    const { asked, clock, join } = deserted();
    join('a');
    clock.advance(LATE_MS - 1);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    clock.advance(10 * LATE_MS);
    // beside that one there is none, however late it is itself, as long as a reader waits
    expect(asked).toHaveLength(2);
  });

  it('are answered by the one that comes first, and the other ends', async () => {
    for (const [first, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const requests = deserted();
      requests.clock.advance(LATE_MS);
      const { answer } = requests.join('a');
      requests.asked[first]?.resolve('first');
      expect(await answer).toBe('first');
      expect([requests.audiences[first], requests.audiences[other]].map(of => of?.signal.aborted)).toEqual([
        false,
        true,
      ]);
    }
  });

  it('are told the failure of the one that was sent last', async () => {
    const requests = deserted();
    requests.clock.advance(LATE_MS);
    const { answer } = requests.join('a');
    requests.asked[0]?.reject(new Error('first'));
    await Promise.resolve();
    requests.asked[1]?.reject(new Error('last'));
    await expect(answer).rejects.toThrow('last');
    expect(aborted(requests)).toEqual([false, false]);
  });

  it('and leave again: the first goes on beside the last, however often that happens', async () => {
    const requests = deserted();
    for (let time = 0; time < 3; time++) {
      requests.clock.advance(LATE_MS);
      void leaving(requests);
    }
    expect(aborted(requests)).toEqual([false, true, true, false]);
    requests.asked[2]?.reject(new Error('aborted'));
    await Promise.resolve();
    requests.asked[0]?.resolve('slow');
    expect(await requests.left).toBe('slow');
  });

  it('need not come back, if others leave beside them', () => {
    const requests = flying();
    requests.join('a');
    requests.clock.advance(10 * LATE_MS);
    expect(requests.asked).toHaveLength(1);
    void leaving(requests);
    expect(requests.asked).toHaveLength(2);
  });

  it('and leave before it is late ask nothing more', () => {
    const requests = deserted();
    void leaving(requests);
    requests.clock.advance(10 * LATE_MS);
    expect(requests.asked).toHaveLength(1);
  });

  it('need not come back where it was begun for later', () => {
    const { asked, clock, join } = flying();
    join('a', 0, undefined, true);
    clock.advance(10 * LATE_MS);
    expect(asked).toHaveLength(1);
    join('a');
    expect(asked).toHaveLength(2);
  });
});

it('a question that a reader waits for all the time is sent once', () => {
  const { asked, clock, join } = flying();
  join('a');
  clock.advance(10 * LATE_MS);
  join('a');
  clock.advance(10 * LATE_MS);
  expect(asked).toHaveLength(1);
});
