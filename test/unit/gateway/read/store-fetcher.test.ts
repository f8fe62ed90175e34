import { beforeEach, describe, expect, it } from 'vitest';
import { type Store, StoreError, type StoreRequest } from '../../../../src/backend/store.ts';
import type { FirstExtent } from '../../../../src/gateway/read/first-fetch.ts';
import { StoreFetcher } from '../../../../src/gateway/read/store-fetcher.ts';
import { withFallback } from '../../../../src/gateway/request/fallback-bucket.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { bucketOf, readOf, silentStore } from '../../../support/object-reads.ts';
import { anythingLearned } from '../../../support/records.ts';

/** The status of an answer, the error of a call, or a store that hangs. */
type Scripted = number | StoreError | 'none';

let clock: ManualClock;
let asked: StoreRequest[];
let answers: Scripted[];
let retried: string[];
/** What the store sends to GET. */
let body: string;
let aborted: number;
let fetcher: StoreFetcher;
let isBudgetUsed: boolean;
let leaving: AbortController;

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  answers = [];
  retried = [];
  body = 'hello';
  isBudgetUsed = false;
  leaving = new AbortController();
  aborted = 0;
  fetcher = new StoreFetcher(clock, {
    random: () => 0.5,
    retried: (backend, reason) => void retried.push(`${backend} ${reason}`),
  });
});

/** Answers each request with what is next, and a body of five bytes where there may be one. */
const store: Store = {
  ...silentStore,
  mayRetry: () => !isBudgetUsed,
  send: (request, receiver) => {
    asked.push(request);
    const answer = answers.shift() ?? 200;
    if (answer instanceof StoreError) receiver.failed(answer);
    else if (answer !== 'none') {
      receiver.answered({
        status: answer,
        fields: [httpHeader('etag', '"t"'), httpHeader('content-length', '5')],
      });
      if (request.method !== 'HEAD') receiver.arrived(Buffer.from(body));
      receiver.ended();
    }
    return {
      pause: () => undefined,
      resume: () => undefined,
      took: () => undefined,
      abort: () => void aborted++,
    };
  },
};
const read = readOf('k', { bucket: bucketOf(store) });
const timeout = () => new StoreError('TIMEOUT', 'too late', undefined);
const broken = () => new StoreError('BROKEN', 'cut', undefined);

/** Lets promises settle, and time pass until the next attempt. */
async function pass(milliseconds: number): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
  clock.advance(milliseconds);
  await new Promise(resolve => setImmediate(resolve));
}

const get = (extent?: FirstExtent, asking = read) =>
  fetcher.get(asking, extent, () => ({ learned: anythingLearned, receiver: undefined }), leaving.signal);
const head = (partNumber?: number, asking = read) => fetcher.head(asking, partNumber, leaving.signal);

it('asks for the head of an object, or of one of its parts', async () => {
  expect(await head()).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  await head(3);
  expect(asked.map(({ method, query }) => [method, query])).toEqual([
    ['HEAD', ''],
    ['HEAD', 'partNumber=3'],
  ]);
});

describe('a HEAD that is answered 400', () => {
  const errorOf = (code: string) => `<Error><Code>${code}</Code><Message>m</Message></Error>`;
  const methods = () => asked.map(({ method }) => method);

  it.each([
    [400, 'ExpiredToken'],
    [403, 'InvalidAccessKeyId'],
  ])("is one of the gateway's own signature where GET says so: %i %s", async (status, code) => {
    answers.push(400, status);
    body = errorOf(code);
    const reply = await head(3);
    expect([reply.status, reply.body.toString()]).toEqual([status, body]);
    expect(methods()).toEqual(['HEAD', 'GET']);
    expect(asked[1]?.fields.find(({ name }) => name === 'range')?.value).toBe('bytes=0-0');
    expect(asked[1]?.query).toBe('');
  });

  it.each([
    ['another refusal', 400, errorOf('InvalidRequest')],
    ['an object that looks like an error', 200, errorOf('ExpiredToken')],
    ['no document', 400, 'ExpiredToken'],
  ])('stays what it is where GET gets %s', async (_, status, said) => {
    answers.push(400, status);
    body = said;
    const reply = await head();
    expect([reply.status, reply.body.length]).toEqual([400, 0]);
    expect(methods()).toEqual(['HEAD', 'GET']);
  });

  it('stays what it is where GET breaks off: a failure would bring back what is held', async () => {
    answers.push(400, broken());
    expect((await head()).status).toBe(400);
    expect(methods()).toEqual(['HEAD', 'GET']);
  });
});

it('asks for the bytes that are wanted first', async () => {
  expect(await get()).toEqual({ kind: 'readable', learned: anythingLearned });
  await get({ kind: 'suffix', lengthBytes: 5 });
  await get({ kind: 'part', partNumber: 1 });
  const ranges = asked.map(({ fields }) => fields.find(({ name }) => name === 'range')?.value);
  expect(ranges).toEqual([undefined, 'bytes=-5', undefined]);
  expect(asked.map(({ method, query }) => method + query)).toEqual(['GET', 'GET', 'GETpartNumber=1']);
});

describe.each<[string, (asking?: ObjectRead) => Promise<unknown>]>([
  ['HEAD', asking => head(undefined, asking)],
  ['GET', asking => get(undefined, asking)],
])('%s', (method, ask) => {
  it.each<[string, () => Scripted]>([
    ['status', () => 503],
    ['broken', broken],
  ])('is repeated twice after a passing failure (%s), later each time', async (reason, failure) => {
    answers.push(failure(), failure(), 200);
    const answer = ask();
    await pass(74);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked).toHaveLength(2);
    await pass(149);
    expect(asked).toHaveLength(2);
    await pass(1);
    await answer;
    expect(asked).toHaveLength(3);
    expect(retried).toEqual([`${store.name} ${reason}`, `${store.name} ${reason}`]);
  });

  it('fails with the last answer when the failure does not pass', async () => {
    answers.push(broken(), 503, 500, 200);
    const answer = expect(ask()).rejects.toMatchObject({ reply: { status: 500 } });
    await pass(1_000);
    await pass(1_000);
    await answer;
    expect(asked).toHaveLength(3);
  });

  it('does not want the body of a failure that is repeated, or that a fallback stands in for', async () => {
    const answer = async (failing: Promise<unknown>) => {
      const failed = expect(failing).rejects.toMatchObject({ reply: { status: 503 } });
      await pass(1_000);
      await pass(1_000);
      await failed;
      return asked.splice(0).map(({ isFailureUntold }) => isFailureUntold);
    };
    answers.push(503, 503, 503, 503, 503, 503);
    const told = method === 'HEAD' ? undefined : false;
    const untold = method === 'HEAD' ? undefined : true;
    expect(await answer(ask())).toEqual([untold, untold, told]);
    const bucket = withFallback(bucketOf(store), silentStore, 'replica');
    const replicated = readOf('k', { bucket });
    expect(await answer(ask(replicated))).toEqual([untold, untold, untold]);
  });

  it('is not repeated when the store has no repeats left', async () => {
    answers.push(broken());
    isBudgetUsed = true;
    await expect(ask()).rejects.toMatchObject({ code: 'BROKEN' });
    expect([asked.length, retried]).toEqual([1, []]);
  });

  it('is not repeated after a timeout: its readers have waited long', async () => {
    answers.push(timeout());
    await expect(ask()).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect([asked.length, retried]).toEqual([1, []]);
  });

  it('is not repeated after a refusal, which is an answer', async () => {
    answers.push(403);
    expect(await ask()).toMatchObject(
      method === 'HEAD' ? { status: 403 } : { kind: 'refused', reply: { status: 403 } },
    );
    expect(asked).toHaveLength(1);
  });
});

describe.each<[string, () => Promise<unknown>]>([
  ['HEAD', () => head()],
  ['GET', () => get()],
])('%s that nobody waits for any more', (_, ask) => {
  it('is aborted before its answer', async () => {
    answers.push('none');
    const failed = expect(ask()).rejects.toThrow('left');
    leaving.abort(new Error('left'));
    await failed;
    expect([asked.length, aborted]).toEqual([1, 1]);
  });

  it('is not repeated', async () => {
    answers.push(503);
    const failed = expect(ask()).rejects.toThrow('left');
    await pass(1);
    leaving.abort(new Error('left'));
    await pass(1_000);
    await failed;
    expect(asked).toHaveLength(1);
  });
});

it('what has been answered is not aborted: others may read the bytes', async () => {
  await get();
  const before = aborted;
  leaving.abort(new Error('left'));
  expect(aborted).toBe(before);
});
