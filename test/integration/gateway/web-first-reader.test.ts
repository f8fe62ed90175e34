import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import type { OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';
import { type Head, startWebGateway, type WebGatewayOptions } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;
let clock: ManualClock;
/** What answers the questions that the origin holds, in their order. */
let held: (() => void)[];

beforeEach(() => {
  clock = new ManualClock(Date.now());
  held = [];
});

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** An origin that fails with the status that `x-bad` names. */
async function start(head: Head, options: WebGatewayOptions = {}): Promise<void> {
  ({ origin, gateway } = await startWebGateway(
    ({ headers }) => {
      const dated = { date: new Date(clock.nowMs()).toUTCString() };
      const bad = headers['x-bad'];
      if (bad !== undefined) return { status: Number.parseInt(String(bad), 10), head: dated };
      return { ...dated, ...head };
    },
    { clock, ...options },
  ));
}

/** From now on the origin holds what it is asked until `release`. */
function hold(): void {
  const { answer } = origin;
  origin.answer = (asked, response) => held.push(() => answer(asked, response));
}

function release(): void {
  for (const answer of held.splice(0)) answer();
}

async function text(headers: Record<string, string> = {}): Promise<string> {
  return (await gateway.get('/', headers)).body.toString();
}

/** Begins a read of a client, which is the first to ask; others wait then. */
async function firstAndOthers(
  first: Record<string, string>,
  others: readonly Record<string, string>[],
): Promise<Promise<string>[]> {
  const answers = [text(first)];
  await turnsUntil('it is asked', () => held.length === 1);
  answers.push(...others.map(headers => text(headers)));
  await turnsUntil('the others wait', () => waiting() === 1 + others.length);
  return answers;
}

/** Expects that these `answers` take so many questions at once, one after another, and no more; gives the texts. */
async function answered(
  answers: readonly Promise<string>[],
  questions: readonly number[],
): Promise<string[]> {
  const before = origin.asked.length - held.length;
  for (const count of questions) {
    await turnsUntil('it is asked', () => held.length === count);
    release();
  }
  const texts = await Promise.all(answers);
  expect(origin.asked.length - before).toBe(questions.reduce((sum, count) => sum + count, 0));
  return texts;
}

/** What a client of another address gets. */
function textOfAnother(): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = get(gateway.url(), { localAddress: '127.0.0.2', agent: false }, response => {
      let body = '';
      response.setEncoding('utf8').on('data', text => (body += text));
      response.on('end', () => resolve(body));
    });
    asked.on('error', reject);
  });
}

const waiting = () => gateway.gateways[0]?.waiting.requests;
const said = (name: string) => origin.asked.map(({ headers }: OriginRequest) => headers[name]);

describe('what is stale is asked about in the background', () => {
  const background = { 'cache-control': 'max-age=1, stale-while-revalidate=600', etag: 'W/"1"' };
  const policy = { maxStaleMs: 600_000, clientDirectives: 'honour' } as const;

  beforeEach(async () => {
    await start(background, { policy });
    await text();
    clock.advance(2_000);
  });

  it.each([
    ['cache-control', 'no-store'],
    ['authorization', 'Basic x'],
    ['prefer', 'return=minimal'],
  ])('for nobody whose answer would not be kept (%s: %s)', async (name, value) => {
    expect(await text({ [name]: value })).toBe('answer 1');
    expect(await text()).toBe('answer 1');
    await turnsUntil('it is renewed', async () => (await text()) === 'answer 2');
    expect(said(name)).toEqual([undefined, undefined]);
  });

  it('by GET for who asks by HEAD', async () => {
    expect((await gateway.head('/')).headers['x-cache']).toBe('STALE');
    await turnsUntil('it is asked', () => origin.asked.length === 2);
    expect(origin.lastAsked?.method).toBe('GET');
    await turnsUntil('it is renewed', async () => (await gateway.head('/')).headers['x-cache'] === 'HIT');
    expect(await text()).toBe('answer 2');
  });

  it.each(['500', '400'])(
    "in nobody's name where one client's own got a %s, with what selects the answer",
    async status => {
      await text();
      await turnsUntil('it is renewed', async () => (await text()) === 'answer 2');
      clock.advance(2_000);
      const stranger = { 'x-bad': status, via: '1.1 odd', 'accept-language': 'fr' };
      expect(await text(stranger)).toBe('answer 2');
      await turnsUntil('it is asked in vain', () => origin.asked.length === 3);
      await turnsUntil('it is renewed', async () => (await text(stranger)) === 'answer 4');
      expect(said('x-bad')).toEqual([undefined, undefined, status, undefined]);
      expect(said('via')[3]).toBe('1.1 tidegate');
      expect(said('accept-language')[3]).toBeUndefined();
    },
  );

  it('while another waits for an answer of its own', async () => {
    hold();
    const stranger = gateway.get('/', { 'x-bad': '500', 'cache-control': 'no-cache' });
    await turnsUntil('it is asked', () => held.length === 1);
    expect(await text()).toBe('answer 1');
    await turnsUntil('it is asked about', () => held.length === 2);
    held.pop()?.();
    await turnsUntil('it is renewed', async () => (await text()) !== 'answer 1');
    release();
    expect((await stranger).status).toBe(500);
  });
});

it('in the background, what varies by fields is asked for with these', async () => {
  const control = 'max-age=1, stale-while-revalidate=600';
  await start({ 'cache-control': control, vary: 'accept-language' }, { policy: { maxStaleMs: 600_000 } });
  await text({ 'accept-language': 'fr' });
  clock.advance(2_000);
  const stranger = { 'x-bad': '500', 'accept-language': 'fr' };
  await text(stranger);
  await turnsUntil('it is renewed', async () => (await text(stranger)) === 'answer 3');
  expect(said('accept-language')).toEqual(['fr', 'fr', 'fr']);
  expect(said('x-bad')).toEqual([undefined, '500', undefined]);
});

describe('who waits for a question that fails, and has sent something else', () => {
  const tagged = { 'cache-control': 'max-age=1', etag: '"1"' };

  /** An answer is held that is stale, and may be served where the origin fails, which holds what it is asked. */
  async function holdStale(head: Head): Promise<void> {
    await start(head, { policy: { staleIfErrorMs: 600_000 } });
    await text();
    clock.advance(2_000);
    hold();
  }

  it.each(['500', '503'])('gets the answer to one more (%s), not what is stale', async status => {
    await holdStale({ 'cache-control': 'max-age=1' });
    const first = gateway.get('/', { 'x-bad': status });
    await turnsUntil('it is asked', () => held.length === 1);
    const others = Array.from({ length: 6 }, () => text());
    await turnsUntil('the others wait', () => waiting() === 7);
    release();
    expect((await first).headers['x-cache']).toBe('STALE');
    await turnsUntil('it is asked again', () => held.length === 1);
    release();
    expect(new Set(await Promise.all(others))).toEqual(new Set(['answer 3']));
    expect(origin.asked).toHaveLength(3);
  });

  it('asks before those who have waited longer', async () => {
    await holdStale(tagged);
    const bad = Array.from({ length: 4 }, (_, index) => gateway.get('/', { 'x-bad': `500 ${index}` }));
    await turnsUntil('they wait', () => waiting() === 4 && held.length === 1);
    const plain = gateway.get('/');
    await turnsUntil('all wait', () => waiting() === 5);
    release();
    await turnsUntil('it is asked again', () => held.length === 1);
    release();
    expect((await plain).headers['x-cache']).not.toBe('STALE');
    await Promise.all(bad);
    expect(said('x-bad').at(-1)).toBeUndefined();
    expect(origin.asked).toHaveLength(3);
  });

  it('gets what is stale where that fails, too', async () => {
    await holdStale(tagged);
    const readers = Array.from({ length: 6 }, (_, index) => gateway.get('/', { 'x-bad': `503 ${index}` }));
    await turnsUntil('they wait', () => waiting() === 6 && held.length === 1);
    for (let question = 0; question < 3; question++) {
      await turnsUntil('it is asked', () => held.length === 1);
      release();
    }
    for (const { headers } of await Promise.all(readers)) expect(headers['x-cache']).toBe('STALE');
    expect(origin.asked).toHaveLength(4);
  });

  it.each(['500', '503', '404', '400'])('shares the next one (%s) where nothing is held', async status => {
    await start(tagged);
    hold();
    const first = gateway.get('/', { 'x-bad': status });
    await turnsUntil('it is asked', () => held.length === 1);
    const others = Array.from({ length: 6 }, () => text());
    await turnsUntil('the others wait', () => waiting() === 7);
    release();
    expect((await first).status).toBe(Number(status));
    await turnsUntil('it is asked again', () => held.length >= 1);
    release();
    expect(new Set(await Promise.all(others))).toEqual(new Set(['answer 2']));
    expect(origin.asked).toHaveLength(2);
  });
});

describe('who waits for a question to which its first gets an answer of its own', () => {
  const others = Array.from({ length: 6 }, (_, index) => ({ 'user-agent': `browser ${index}` }));

  beforeEach(async () => {
    await start({ 'cache-control': 'max-age=1' });
    const { answer } = origin;
    origin.answer = (asked, response) => {
      const control = asked.headers['x-own'];
      if (control === undefined) answer(asked, response);
      else response.writeHead(200, { 'cache-control': String(control) }).end('own');
    };
    hold();
  });

  it.each([
    ['private', { cookie: 'sid=1' }],
    ['no-store', { authorization: 'Basic x' }],
    ['private, max-age=60', { 'x-debug': '1' }],
  ])('shares the next one (%s)', async (control, own) => {
    const answers = await firstAndOthers({ ...own, 'x-own': control }, others);
    expect(new Set(await answered(answers, [1, 1]))).toEqual(new Set(['own', 'answer 2']));
  });

  it('shares it with a cookie, too', async () => {
    const users = others.map((headers, index) => ({ ...headers, cookie: `visits=${index}` }));
    await answered(await firstAndOthers({ cookie: 'sid=1', 'x-own': 'private' }, users), [1, 1]);
  });

  it('asks for itself where it has sent the same', async () => {
    const same = { 'x-own': 'private' };
    await answered(await firstAndOthers(same, [same, same, same]), [1, 3]);
  });

  it('asks for itself after two more such answers, which tell nothing of others where they are to one client', async () => {
    const [own, ofOwn] = [{ 'x-own': 'private' }, others.map(sent => ({ ...sent, 'x-own': 'private' }))];
    for (const _burst of [1, 2, 3]) await answered(await firstAndOthers(own, ofOwn), [1, 1, 1, 4]);
  });
});

describe('who waits for a question that hangs because of what its first has sent', () => {
  const others = Array.from({ length: 6 }, (_, index) => ({ 'user-agent': `browser ${index}` }));
  const stranger = { cookie: 'sid=locked' };
  /** Of the stranger. */
  let hung: number;
  /** How the origin answers whom it does not keep waiting. */
  let answerOf: ScriptedOrigin['answer'];

  beforeEach(async () => {
    hung = 0;
    await start({ 'cache-control': 'max-age=20' });
    answerOf = origin.answer;
    origin.answer = (asked, response) => {
      if (asked.headers.cookie === undefined) held.push(() => answerOf(asked, response));
      else hung++;
    };
  });

  async function strangerAndOthers(): Promise<Promise<string>[]> {
    void text(stranger).catch(() => {});
    await turnsUntil('it hangs', () => hung > 0);
    const answers = others.map(headers => text(headers));
    await turnsUntil('the others wait', () => waiting() === 1 + others.length);
    return answers;
  }

  it('is answered by a question beside it, which is for all', async () => {
    const answers = await strangerAndOthers();
    clock.advance(2_000);
    expect(new Set(await answered(answers, [1]))).toEqual(new Set(['answer 2']));
  });

  it('brings nothing older in the place of what was asked beside it', async () => {
    const { answer } = origin;
    let answerLate = () => {};
    origin.answer = (asked, response) => {
      if (asked.headers.cookie === undefined) answer(asked, response);
      else {
        hung++;
        const date = new Date(clock.nowMs()).toUTCString();
        answerLate = () => void response.writeHead(200, { 'cache-control': 'max-age=20', date }).end('older');
      }
    };
    const own = text(stranger);
    await turnsUntil('it hangs', () => hung > 0);
    const answers = others.map(headers => text(headers));
    await turnsUntil('the others wait', () => waiting() === 1 + others.length);
    clock.advance(2_000);
    await answered(answers, [1]);
    answerLate();
    expect(await own).toBe('older');
    expect([await text(), origin.asked.length]).toEqual(['answer 2', 2]);
  });

  it("asks in the name of another, and in nobody's where that hangs, too, four times at most", async () => {
    const answers = await strangerAndOthers();
    for (let count = 1; count <= 4; count++) {
      clock.advance(2_000);
      await turnsUntil('it is asked beside', () => held.length === count);
    }
    clock.advance(1_000);
    held.pop()?.();
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['answer 5']));
    const browser = expect.stringContaining('browser');
    expect(said('user-agent')).toEqual([undefined, browser, 'tidegate', browser, browser]);
    expect(said('cookie').slice(1)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each([{ 'x-bad': '403' }, { 'x-bad': '503' }, { 'x-bad': '404' }])(
    'waits on where what is asked beside is %j',
    async bad => {
      const answers = await firstAndOthers(
        {},
        others.map(other => ({ ...other, ...bad })),
      );
      clock.advance(2_000);
      await turnsUntil('it is asked beside', () => held.length === 2);
      expect(said('x-bad').at(-1)).toBe(bad['x-bad']);
      held.pop()?.();
      await turnsUntil('that has ended', () => waiting() === answers.length);
      expect(new Set(await answered(answers, [1])).size).toBe(1);
      expect(origin.asked).toHaveLength(2);
    },
  );

  it('asks for itself where nobody gets an answer for all', async () => {
    const own = { 'cache-control': 'private' };
    const answers = await strangerAndOthers();
    origin.answer = (_asked, response) => void response.writeHead(200, own).end('own');
    clock.advance(2_000);
    await turnsUntil('it is asked beside', () => origin.asked.length === 2);
    clock.advance(2_000);
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['own']));
  });

  it('waits for the end of an answer that has begun, however long it takes, while it goes on', async () => {
    let [write, end] = [() => {}, () => {}];
    origin.answer = (_asked, response) => {
      response.writeHead(200, { 'cache-control': 'max-age=20' });
      write = () => void response.write('more'.repeat(500));
      write();
      end = () => void response.end('and ended');
    };
    let cameBytes = 0;
    await new Promise<void>(resolve => {
      get(gateway.url(), { agent: false }, response => {
        response.on('data', (chunk: Buffer) => {
          cameBytes += chunk.length;
        });
        resolve();
      });
    });
    const answers = others.map(headers => text(headers));
    await turnsUntil('the others wait', () => waiting() === 1 + others.length);
    for (let second = 1; second <= 8; second++) {
      await turnsUntil('more of it comes', () => cameBytes >= second * 2_000);
      clock.advance(1_000);
      write();
    }
    origin.answer = (_asked, response) => void response.end('something else');
    await gateway.get('/later');
    end();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([`${'more'.repeat(4_500)}and ended`]));
    expect(origin.asked.map(({ url }) => url)).toEqual(['/', '/later']);
  });

  it('has it asked in the name of whoever comes when nobody was there to ask for', async () => {
    void text(stranger).catch(() => {});
    void text(stranger).catch(() => {});
    await turnsUntil('they wait', () => waiting() === 2);
    clock.advance(5_000);
    const other = text(others[0]);
    await turnsUntil('another waits', () => waiting() === 3);
    clock.advance(2_000);
    await answered([other], [1]);
  });

  it.each([
    ['as soon as it is answered in time again', 0],
    ['after a minute', 61_000],
  ])('waits for the same client again %s', async (_, laterMs) => {
    const answers = await strangerAndOthers();
    clock.advance(2_000);
    await answered(answers, [1]);
    origin.answer = (asked, response) => held.push(() => answerOf(asked, response));
    clock.advance(21_000 + laterMs);
    if (laterMs === 0) {
      await answered([text(stranger)], [1]);
      clock.advance(21_000);
    }
    const own = text(stranger);
    await turnsUntil('it is asked', () => held.length === 1);
    const reads = others.map(() => textOfAnother());
    await turnsUntil('the others wait', () => waiting() === 1 + reads.length);
    await answered([own, ...reads], [1]);
  });

  it('waits no more for the same client', async () => {
    const answers = await strangerAndOthers();
    clock.advance(2_000);
    await answered(answers, [1]);
    clock.advance(21_000);
    const hungBefore = hung;
    void text(stranger).catch(() => {});
    await turnsUntil('it hangs again', () => hung > hungBefore);
    const reads = others.map(() => textOfAnother());
    await turnsUntil('the others wait', () => waiting() === 1 + reads.length);
    expect(new Set(await answered(reads, [1]))).toEqual(new Set(['answer 4']));
  });

  it('asks nothing beside that it has sent alike', async () => {
    const answers = [text(), text(), text()];
    await turnsUntil('they wait', () => waiting() === 3 && held.length === 1);
    clock.advance(9_000);
    await answered(answers, [1]);
  });

  it('has the patience that the last answer needed', async () => {
    const slow = text();
    await turnsUntil('it is asked', () => held.length === 1);
    clock.advance(2_000);
    await answered([slow], [1]);
    clock.advance(21_000);
    const answers = await strangerAndOthers();
    clock.advance(3_000);
    clock.advance(1_000);
    await turnsUntil('it is asked beside', () => held.length === 1);
    clock.advance(3_000);
    await answered(answers, [1]);
  });
});

it('who has waited is told how old the answer is when it comes', async () => {
  await start({ 'cache-control': 'max-age=600', age: '30' });
  hold();
  const reads = [gateway.get('/')];
  await turnsUntil('it is asked', () => held.length === 1);
  reads.push(gateway.get('/'));
  await turnsUntil('the other waits', () => waiting() === 2);
  clock.advance(7_000);
  release();
  const ages = (await Promise.all(reads)).map(({ headers }) => headers.age);
  expect(ages).toEqual(['30', '37']);
});

describe('readers of different variants at once', () => {
  const languages = Array.from({ length: 24 }, (_, index) => ({ 'accept-language': `x-${index % 8}` }));

  it('share a question for each, at the same time once it is known what varies', async () => {
    await start({ 'cache-control': 'max-age=1', vary: 'Accept-Language' });
    hold();
    const [first = {}, ...others] = languages;
    await answered(await firstAndOthers(first, others), [1, 7]);
    clock.advance(2_000);
    await answered(
      languages.map(headers => text(headers)),
      [8],
    );
  });
});
