import { expect, it } from 'vitest';
import { SingleFlight } from '../../../../src/gateway/read/single-flight.ts';

/** Requests by name; each is answered when a test says so. */
function flying() {
  const flights = new SingleFlight<string>();
  const asked: PromiseWithResolvers<string>[] = [];
  const join = (name: string, epoch = 0) =>
    flights.join(
      name,
      { epoch, barrier: 0, isUnsettled: false },
      asked => asked.epoch === epoch,
      () => {
        const asking = Promise.withResolvers<string>();
        asked.push(asking);
        return asking.promise;
      },
    );
  return { flights, asked, join };
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
