import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CardAction } from '../../../../src/alerts/card/card.ts';
import { bearerToken, CallbackBench } from '../../../support/callback-bench.ts';

let bench: CallbackBench;

beforeEach(async () => {
  bench = await new CallbackBench().start();
});
afterEach(() => bench.stop());

const alertIds = ['a-1'];
const object = { bucket: 'photos', key: 'a & b/ü.bin' };

it.each<[string, CardAction, Record<string, string>, string, string]>([
  ['acknowledge', { action: 'acknowledge', alertIds }, {}, 'Ada acknowledged a-1', 'Acknowledged'],
  [
    'silence for a while',
    { action: 'silence', alertIds },
    { duration: '3600000', until: '', why: 'we know & work on it' },
    'Ada silenced a-1 until 2026-01-05T13:00:00.000Z: we know & work on it',
    'Silenced until 2026-01-05 13:00 UTC.',
  ],
  [
    'silence until a moment, which wins over the choice',
    { action: 'silence', alertIds },
    { duration: '3600000', until: '2026-01-07T08:30:00+02:00' },
    'Ada silenced a-1 until 2026-01-07T06:30:00.000Z: no reason given',
    'Silenced until 2026-01-07 06:30 UTC.',
  ],
  [
    'silence until the end of a day',
    { action: 'silence', alertIds },
    { until: '2026-01-05' },
    'Ada silenced a-1 until 2026-01-06T00:00:00.000Z: no reason given',
    'Silenced until 2026-01-06 00:00 UTC.',
  ],
  ['unsilence', { action: 'unsilence', alertIds }, {}, 'unsilenced a-1', 'The silence is over.'],
  [
    'restore',
    { action: 'restore', alertIds, objects: [object] },
    { days: '7', tier: 'Bulk' },
    'restore photos/a & b/ü.bin for 7 days, Bulk',
    'The store has begun to restore it.',
  ],
  [
    'restore the one that was chosen',
    { action: 'restore', alertIds, objects: [{ bucket: 'photos', key: 'first' }, object] },
    { object: '1', days: '7', tier: 'Bulk' },
    'restore photos/a & b/ü.bin for 7 days, Bulk',
    'The store has begun to restore it.',
  ],
  ['purge', { action: 'purge', alertIds, object }, {}, 'purged photos/a & b/ü.bin', 'Purged 1 object.'],
])('%s: is done in the name of who pressed it', async (_, action, fields, change, status) => {
  const answer = await bench.press(action, fields);
  expect(answer.status).toBe(200);
  expect(bench.changes).toEqual([change]);
  expect(answer.headers['card-action-status']).toContain(status);
  expect(answer.headers['card-update-in-body']).toBe('true');
  expect(JSON.parse(answer.text)).toHaveProperty('text');
  expect(bench.acts.recent()).toMatchObject([{ by: 'Ada', action: action.action, alertIds }]);
  expect(bench.lines.join()).toContain('"by":"Ada"');
});

it.each([{}, { object: '2' }, { object: '-1' }, { object: 'photos/first' }])(
  'restores nothing when the choice %j is none of what the card offers',
  async fields => {
    const objects = [{ bucket: 'photos', key: 'first' }, object];
    const answer = await bench.press({ action: 'restore', alertIds, objects }, { ...fields, days: '7' });
    expect(answer.status).toBe(400);
    expect(bench.changes).toEqual([]);
  },
);

it.each<[CardAction, Record<string, string>]>([
  [{ action: 'acknowledge', alertIds: ['test:a-1'] }, {}],
  [{ action: 'silence', alertIds: ['test:a-1'] }, { duration: '3600000' }],
  [{ action: 'restore', alertIds: ['test:a-1'], objects: [object] }, { days: '1' }],
])('a button of a test card answers and changes nothing: %j', async (action, fields) => {
  const answer = await bench.press(action, fields);
  expect(answer.status).toBe(200);
  expect(answer.headers['card-action-status']).toContain('This is a test card');
  expect(bench.changes).toEqual([]);
});

it('answers with the card as it is now', async () => {
  const answer = await bench.press({ action: 'acknowledge', alertIds });
  expect(JSON.parse(answer.text)).toEqual({ text: 'firing: Ada' });
});

it('takes the token from Action-Authorization where Authorization is empty', async () => {
  const token = `Bearer ${await bearerToken(bench.clock)}`;
  const changes = { authorization: '', headers: { 'action-authorization': token } };
  expect((await bench.press({ action: 'acknowledge', alertIds }, {}, changes)).status).toBe(200);
});

it('says that somebody was faster', async () => {
  await bench.press({ action: 'acknowledge', alertIds });
  const second = await bench.press({ action: 'acknowledge', alertIds });
  expect([second.status, second.headers['card-action-status']]).toEqual([
    200,
    'Somebody has acknowledged it before.',
  ]);
  expect(bench.changes).toHaveLength(1);
});

it('answers in time though the work takes longer, and writes down what came of it', async () => {
  const work = Promise.withResolvers<{ kind: 'done'; message: string }>();
  const begun = Promise.withResolvers<void>();
  bench.operations = {
    ...bench.operations,
    purge: () => {
      begun.resolve();
      return work.promise;
    },
  };
  const pressed = bench.press({ action: 'purge', alertIds, object });
  await begun.promise;
  await new Promise(resolve => setImmediate(resolve));
  bench.clock.advance(1_500);
  const answer = await pressed;
  expect([answer.status, bench.acts.recent().length]).toEqual([200, 0]);
  work.resolve({ kind: 'done', message: 'Purged 12 objects.' });
  await new Promise(resolve => setImmediate(resolve));
  expect(bench.acts.recent()).toMatchObject([{ action: 'purge', outcome: 'Purged 12 objects.' }]);
});

it('lets a button be pressed again after its work failed, and keeps the error to the log', async () => {
  bench.operations = {
    ...bench.operations,
    restore: async () => {
      throw new Error('internal detail');
    },
  };
  const token = bench.sign({ action: 'restore', alertIds, objects: [object] });
  const body = new URLSearchParams({ token, days: '1' }).toString();
  const failed = await bench.send(body);
  expect([failed.status, failed.code]).toEqual([502, 'action-failed']);
  expect(failed.text).not.toContain('internal detail');
  expect(bench.lines.join()).toContain('internal detail');
  bench.operations = {
    ...bench.operations,
    restore: async () => ({ kind: 'done', message: 'Begun – gleich\nfertig' }),
  };
  const again = await bench.send(body);
  expect([again.status, again.headers['card-action-status']]).toEqual([200, 'Begun ? gleich?fertig']);
});

it('works once when it is pressed twice at the same moment', async () => {
  const body = `token=${bench.sign({ action: 'purge', alertIds, object })}`;
  const answers = await Promise.all([bench.send(body), bench.send(body)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(bench.changes).toHaveLength(1);
});

it('counts what came of presses', async () => {
  await bench.press({ action: 'acknowledge', alertIds });
  await bench.send('', { authorization: undefined });
  const family = (await bench.metrics.snapshot()).find(
    ({ name }) => name === 'tidegate_card_callbacks_total',
  );
  expect(family?.values.map(({ labels, value }) => [labels.result, value])).toEqual([
    ['done', 1],
    ['token-missing', 1],
  ]);
});
