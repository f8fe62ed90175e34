import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import { type Head, startWebGateway } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;
/** What answers the questions that the origin holds, in their order. */
let held: (() => void)[];
let page: Head;
let tag: string;

const readers = Array.from({ length: 6 }, (_, index) => ({ 'user-agent': `browser ${index}` }));
const condition = { 'if-none-match': '"1"' };

beforeEach(async () => {
  held = [];
  tag = '"1"';
  page = { etag: tag, 'cache-control': 'max-age=60' };
  ({ origin, gateway } = await startWebGateway(({ headers }) =>
    headers['if-none-match'] === tag ? { status: 304, head: page } : page,
  ));
  const { answer } = origin;
  origin.answer = (asked, response) => held.push(() => answer(asked, response));
});

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

const head = async (headers: Record<string, string>) =>
  (await fetch(gateway.url(), { method: 'HEAD', headers })).status;
const get = async (headers: Record<string, string>) => (await gateway.get('/', headers)).status;

/** The statuses that `reads` get, where the origin is asked so many questions at once, one after another, and no more. */
async function statuses(reads: () => readonly Promise<number>[], questions: readonly number[]) {
  const began = reads();
  const waiting = () => gateway.gateways[0]?.waiting.requests;
  await turnsUntil('all wait', () => waiting() === began.length && held.length === questions[0]);
  for (const count of questions) {
    await turnsUntil('it is asked', () => held.length === count);
    for (const answer of held.splice(0)) answer();
  }
  const got = await Promise.all(began);
  expect(origin.asked).toHaveLength(questions.reduce((sum, count) => sum + count, 0));
  return got;
}

const told = () => origin.asked.map(({ method, headers }) => `${method} ${headers['if-none-match'] ?? ''}`);

describe('readers at the same time, where nothing is held', () => {
  it.each([
    ['have sent the very same', {}, [{}]],
    ['select the same', { vary: 'accept-encoding' }, readers],
  ])('share one question with conditions where they %s', async (_, vary, sent) => {
    page = { ...page, ...vary };
    const alike = Array.from({ length: 6 }, (__, index) => ({ ...sent[index % sent.length], ...condition }));
    expect(await statuses(() => alike.map(get), [1])).toEqual(Array(6).fill(304));
    expect(told()).toEqual(['GET "1"']);
  });

  it('share one question with conditions, and one for all where a 304 does not say what the page varies by', async () => {
    const got = await statuses(() => readers.map(headers => get({ ...headers, ...condition })), [1, 1]);
    expect(got).toEqual(Array(6).fill(304));
    expect(told()).toEqual(['GET "1"', 'GET ']);
  });

  it('share one with conditions, and one for all where they have something else', async () => {
    const others = [condition, ...readers.slice(1).map(() => ({ 'if-none-match': '"0"' }))];
    const got = await statuses(() => others.map(get), [1, 1]);
    expect(got).toEqual([304, ...Array(5).fill(200)]);
    expect(told()).toEqual(['GET "1"', 'GET ']);
  });

  it('share them with cookies, too', async () => {
    const users = readers.map((_, index) => ({ ...condition, cookie: `visits=${index}` }));
    expect(await statuses(() => users.map(get), [1, 1])).toEqual(Array(6).fill(304));
  });

  it('share one question where what they have is of no use any more', async () => {
    tag = '"2"';
    page = { ...page, etag: tag };
    const got = await statuses(() => readers.map(headers => get({ ...headers, ...condition })), [1]);
    expect(got).toEqual(Array(6).fill(200));
  });

  it.each([
    ['one HEAD where they have sent the very same', {}, [{}], ['HEAD ']],
    ['one HEAD where they select the same', { vary: 'accept-encoding' }, readers, ['HEAD ']],
    [
      'one HEAD, and one GET for all, where it does not say what the page varies by',
      {},
      readers,
      ['HEAD ', 'GET '],
    ],
  ])('share %s', async (_, vary, sent, asked) => {
    page = { ...page, ...vary };
    const alike = Array.from({ length: 6 }, (__, index) => ({ ...sent[index % sent.length] }));
    expect(
      await statuses(
        () => alike.map(head),
        asked.map(() => 1),
      ),
    ).toEqual(Array(6).fill(200));
    expect(told()).toEqual(asked);
  });

  it('share no 304 by HEAD: it does not tell all that they ask for', async () => {
    const first = () => head(condition);
    expect(await statuses(() => [first(), ...readers.map(head)], [1, 1])).toEqual([
      304,
      ...Array(6).fill(200),
    ]);
    expect(told()).toEqual(['HEAD "1"', 'GET ']);
  });

  it('share the answer to GET that comes, by HEAD too', async () => {
    const got = await statuses(() => [get({}), ...readers.map(head)], [1]);
    expect(got).toEqual(Array(7).fill(200));
  });

  it('ask for themselves by HEAD where nothing is kept', async () => {
    page = { 'cache-control': 'no-store' };
    const same = readers.map(() => ({}));
    expect(await statuses(() => same.map(head), [1, 5])).toEqual(Array(6).fill(200));
    expect(new Set(told())).toEqual(new Set(['HEAD ']));
  });

  it('ask for themselves with If-Match', async () => {
    const demands = readers.map(headers => ({ ...headers, 'if-match': '"1"' }));
    expect(await statuses(() => demands.map(get), [6])).toEqual(Array(6).fill(200));
  });
});
