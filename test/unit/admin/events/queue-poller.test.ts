import { afterEach, expect, it } from 'vitest';
import { AdminError } from '../../../../src/admin/admin-route.ts';
import { QueueError, type QueueMessage } from '../../../../src/admin/events/queue-client.ts';
import { QueueMeter } from '../../../../src/admin/events/queue-meter.ts';
import { QueuePoller } from '../../../../src/admin/events/queue-poller.ts';
import type { TakeEvents } from '../../../../src/admin/events/take-events.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

type Answer = readonly string[] | QueueError;

const counts = { events: 1, invalidated: 1, unknownBucket: 0, ignored: 0, confirmed: 0 };
const turn = () => new Promise(resolve => setImmediate(resolve));
let stop: (() => Promise<void>) | undefined;

afterEach(() => stop?.());

/** A poller over a queue that a test plays; `take` is what the sequencer does with a body. */
function start(take: TakeEvents, malformed: 'keep' | 'delete' = 'keep') {
  const clock = new ManualClock();
  const metrics = new Metrics();
  const lines: { msg: string; [field: string]: unknown }[] = [];
  const logger = createLogger({
    level: 'info',
    sink: { write: text => void lines.push(JSON.parse(text)), flush: () => undefined },
  });
  const deletions: string[][] = [];
  const delivery = { fails: false, kept: 0, isClosed: false };
  let question = Promise.withResolvers<readonly QueueMessage[]>();
  let questions = 0;
  const poller = new QueuePoller({
    client: {
      receive(signal) {
        questions++;
        question = Promise.withResolvers();
        signal.addEventListener('abort', () => question.reject(new QueueError('ABORTED', 'ReceiveMessage')));
        return question.promise;
      },
      async delete(messages) {
        if (delivery.fails) throw new QueueError('STATUS_500', 'DeleteMessageBatch');
        deletions.push(messages.map(({ receipt }) => receipt));
        return delivery.kept;
      },
      async close() {
        delivery.isClosed = true;
      },
    },
    ...{
      take,
      backend: 'main',
      malformed,
      meter: new QueueMeter(metrics, clock),
      clock,
      logger,
      random: () => 0,
    },
  });
  poller.start();
  stop = () => poller.stop();
  /** Answers the question that waits. */
  const answer = async (with_: Answer) => {
    if (with_ instanceof QueueError) question.reject(with_);
    else question.resolve(with_.map((body, index) => ({ id: `m${index}`, receipt: `r${index}`, body })));
    await turn();
  };
  const metric = async (name: string, outcome?: string) =>
    (await metrics.snapshot())
      .find(family => family.name === `tidegate_events_queue_${name}`)
      ?.values.find(({ labels }) => labels.outcome === outcome)?.value;
  return { clock, answer, deletions, delivery, poller, lines, metric, questions: () => questions };
}

const unreachable = new QueueError('ECONNREFUSED', 'ReceiveMessage');

it('deletes a message only when what it tells of has taken effect', async () => {
  const effect = Promise.withResolvers<typeof counts>();
  const taken: unknown[] = [];
  const { answer, deletions, questions, metric } = start((body, backend) => {
    taken.push([body, backend]);
    return effect.promise;
  });
  await answer(['{"Records":[]}', '{"b":1}']);
  expect(taken).toEqual([[{ Records: [] }, 'main']]);
  expect(deletions).toEqual([]);
  effect.resolve(counts);
  await turn();
  expect(taken).toHaveLength(2);
  expect(deletions).toEqual([['r0', 'r1']]);
  expect(questions()).toBe(2);
  expect(await metric('messages_total', 'taken')).toBe(2);
});

const refuses: TakeEvents = async body => {
  if (body === 'fine') return counts;
  throw new AdminError(body === 'large' ? 413 : 400, 'INVALID_BODY', 'Records.0.eventName: a text');
};

it('leaves what cannot be read to the queue, counts it, and logs some of it', async () => {
  const { clock, answer, deletions, lines, metric } = start(refuses);
  await answer([
    '"fine"',
    '"bad"',
    '"large"',
    'no JSON',
    `"fine"${' '.repeat(256 * 1024)}`,
    '{"__proto__":{}}',
  ]);
  expect(deletions).toEqual([['r0']]);
  expect(await metric('messages_total', 'malformed')).toBe(5);
  expect(lines.map(({ msg, message, reason }) => ({ msg, message, reason }))).toEqual([
    {
      msg: 'a message of the queue of events cannot be taken',
      message: 'm1',
      reason: 'Records.0.eventName: a text',
    },
  ]);
  clock.advance(60_000);
  await turn();
  await answer(['"bad"']);
  expect(lines).toHaveLength(2);
});

it('deletes what cannot be read where the configuration says so', async () => {
  const { answer, deletions, metric } = start(refuses, 'delete');
  await answer(['"bad"', '"fine"']);
  expect(deletions).toEqual([['r0', 'r1']]);
  expect(await metric('messages_total', 'malformed')).toBe(1);
});

it('goes on whatever the events lead to', async () => {
  const faults = [new Error('a worker failed'), new AdminError(502, 'NOT_CONFIRMED', 'no answer')];
  const { answer, deletions, metric } = start(async () => {
    const fault = faults.shift();
    if (fault) throw fault;
    return counts;
  });
  await answer(['{}', '{}', '{}']);
  expect(deletions).toEqual([['r2']]);
  expect(await metric('messages_total', 'failed')).toBe(2);
});

it('keeps a message until a worker is up', async () => {
  let isUp = false;
  let tries = 0;
  const { clock, answer, deletions, questions } = start(async () => {
    tries++;
    if (!isUp) throw new AdminError(503, 'NO_WORKER', 'no worker is up');
    return counts;
  });
  await answer(['{}', '{}']);
  for (const delayMs of [500, 1_000, 2_000]) {
    clock.advance(delayMs);
    await turn();
  }
  expect(tries).toBe(4);
  expect([deletions, questions()]).toEqual([[], 1]);
  isUp = true;
  clock.advance(4_000);
  await turn();
  expect(deletions).toEqual([['r0', 'r1']]);
});

it('asks again after growing delays while the queue fails, and says so once for each cause', async () => {
  const { clock, answer, questions, lines, metric } = start(async () => counts);
  clock.advance(3_000);
  for (const [asked, delayMs] of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    await answer(unreachable);
    clock.advance(delayMs - 1);
    await turn();
    expect(questions()).toBe(asked + 1);
    clock.advance(1);
    await turn();
    expect(questions()).toBe(asked + 2);
  }
  expect(await metric('last_poll_age_seconds')).toBe(94.5);
  expect(await metric('polls_total', 'failed')).toBe(8);
  await answer(new QueueError('AccessDenied', 'ReceiveMessage'));
  clock.advance(30_000);
  await turn();
  await answer(['{}']);
  expect(await metric('last_poll_age_seconds')).toBe(0);
  expect(lines.map(({ msg, cause }) => [msg, cause])).toEqual([
    ['the queue of events cannot be asked', 'ECONNREFUSED'],
    ['the queue of events cannot be asked', 'AccessDenied'],
    ['the queue of events answers again', undefined],
  ]);
  await answer(unreachable);
  clock.advance(500);
  await turn();
  expect(questions()).toBe(12);
});

it('does not ask a queue without pause that answers at once and has nothing', async () => {
  const { clock, answer, questions } = start(async () => counts);
  await answer([]);
  clock.advance(999);
  await turn();
  expect(questions()).toBe(1);
  clock.advance(1);
  await turn();
  expect(questions()).toBe(2);
  clock.advance(20_000);
  await answer([]);
  expect(questions()).toBe(3);
});

it('counts what the queue does not delete, and backs off where it cannot be told to', async () => {
  const { clock, answer, delivery, questions, metric } = start(async () => counts);
  delivery.kept = 1;
  await answer(['{}', '{}']);
  expect(await metric('messages_total', 'undeleted')).toBe(1);
  expect(questions()).toBe(2);
  delivery.fails = true;
  await answer(['{}', '{}']);
  expect(await metric('messages_total', 'undeleted')).toBe(3);
  expect(questions()).toBe(2);
  clock.advance(500);
  await turn();
  expect(questions()).toBe(3);
});

it('stops while a question waits, and while it pauses', async () => {
  const waiting = start(async () => counts);
  await waiting.poller.stop();
  expect(waiting.delivery.isClosed).toBe(true);
  expect(waiting.lines).toEqual([]);
  waiting.clock.advance(3_600_000);
  expect(await waiting.metric('last_poll_age_seconds')).toBe(0);
  const pausing = start(async () => counts);
  await pausing.answer(unreachable);
  await pausing.poller.stop();
  expect(pausing.questions()).toBe(1);
});

it('deletes what it has taken when it is stopped, and leaves the rest to the queue', async () => {
  const effect = Promise.withResolvers<typeof counts>();
  const { answer, deletions, poller, questions } = start(() => effect.promise);
  await answer(['{}', '{}', '{}']);
  const stopped = poller.stop();
  effect.resolve(counts);
  await stopped;
  expect(deletions).toEqual([['r0']]);
  expect(questions()).toBe(1);
});

it('does not start when it was stopped before', async () => {
  const { clock, poller, questions, metric } = start(async () => counts);
  await poller.stop();
  poller.start();
  clock.advance(60_000);
  expect([questions(), await metric('last_poll_age_seconds')]).toEqual([1, 0]);
});
