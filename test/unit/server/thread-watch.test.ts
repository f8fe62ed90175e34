import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { Rpc } from '../../../src/base/rpc.ts';
import { watchThread } from '../../../src/server/thread-watch.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A watched connection whose other end answers, fails or says nothing. */
function setup(ping?: () => unknown) {
  const { port1, port2 } = new MessageChannel();
  const clock = new ManualClock();
  const other = new Rpc(port2);
  if (ping) other.serve({ ping });
  const hung: number[] = [];
  const rpc = new Rpc(port1);
  const silent: boolean[] = [];
  const timer = watchThread(rpc, clock, {
    onSilent: isSilent => silent.push(isSilent),
    onHung: silentMs => hung.push(silentMs),
  });
  const end = () => {
    timer.cancel();
    port1.close();
  };
  return { clock, rpc, hung, silent, timer, end };
}

it('says once that a thread has not answered for ten seconds', () => {
  const { clock, hung, end } = setup(() => new Promise(() => undefined));
  clock.advance(10_000);
  expect(hung).toEqual([]);
  clock.advance(60_000);
  expect(hung).toEqual([10_000]);
  end();
});

it('says that a thread has not answered for a second, and when it has', async () => {
  const pong = Promise.withResolvers<void>();
  const { clock, rpc, silent, end } = setup(() => pong.promise);
  clock.advance(1_499);
  expect(silent).toEqual([]);
  clock.advance(1);
  expect(silent).toEqual([true]);
  clock.advance(3_000);
  expect(silent).toEqual([true]);
  pong.resolve();
  await expect(rpc.call('nothing', undefined)).rejects.toThrow();
  expect(silent).toEqual([true, false]);
  end();
});

it('asks again after each answer, also one that says that nobody serves it', async () => {
  for (const ping of [() => undefined, undefined]) {
    const { clock, rpc, hung, silent, end } = setup(ping);
    for (let tick = 0; tick < 25; tick++) {
      clock.advance(1_000);
      // answers come in the order of the questions
      await rpc.call('ping', undefined).catch(() => undefined);
    }
    expect([hung, silent]).toEqual([[], []]);
    end();
  }
});

it('is over when it is cancelled', () => {
  const { clock, hung, timer, end } = setup(() => new Promise(() => undefined));
  clock.advance(5_000);
  timer.cancel();
  clock.advance(60_000);
  expect(hung).toEqual([]);
  end();
});
