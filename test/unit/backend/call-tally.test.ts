import { beforeEach, expect, it } from 'vitest';
import { CallQueue } from '../../../src/backend/call-queue.ts';
import { StoreError } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NotedConnection, queuedCall } from '../../support/queued-calls.ts';

let metrics: Metrics;
/** What the log of failures was told. */
let told: string[];
let connection: NotedConnection;

beforeEach(() => {
  metrics = new Metrics();
  told = [];
  connection = new NotedConnection();
});

/** The connection of a call that was sent. */
function sent(method = 'GET', isSigned = true) {
  const clock = new ManualClock();
  const limits = { connections: 1, queue: 1, queueWaitMs: 2_000, queueTotalMs: 10_000 };
  const queue = new CallQueue(limits, clock, () => undefined);
  const nothing = () => undefined;
  const receiver = { answered: nothing, arrived: nothing, ended: nothing, failed: nothing };
  const outages = {
    answered: (status: number, isUntold = false) => void told.push(`${status}${isUntold ? ' untold' : ''}`),
    refused: (code: string) => void told.push(code),
    failed: ({ reason }: StoreError) => void told.push(reason),
  };
  const more = { meter: new StoreMeter(metrics).backend('main'), outages, isSigned };
  const call = queuedCall({ method }, receiver, { queue, clock, send: connection.send, more });
  queue.enter(call);
  const { answer } = connection;
  if (!answer) throw new Error('the call was not sent');
  return { call, answer };
}

async function counted(): Promise<readonly string[]> {
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_backend_requests_total');
  return family?.values.map(({ labels, value }) => `${labels.status} ${value}`) ?? [];
}

const refusal = (code: string) =>
  `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>`;

it.each([
  [403, 'SignatureDoesNotMatch'],
  [403, 'InvalidAccessKeyId'],
  [403, 'RequestTimeTooSkewed'],
  [400, 'ExpiredToken'],
  [401, 'InvalidToken'],
])("an answer of %i %s refuses the gateway's own keys", async (status, code) => {
  const { answer } = sent();
  answer.answered(status, []);
  expect([told, await counted()]).toEqual([[], []]);
  answer.arrived(Buffer.from(refusal(code)));
  answer.ended();
  expect([told, await counted()]).toEqual([[code], ['refused 1']]);
});

it('a code may come in pieces', async () => {
  const { answer } = sent();
  answer.answered(403, []);
  for (const character of refusal('SignatureDoesNotMatch')) answer.arrived(Buffer.from(character));
  answer.ended();
  expect([told, await counted()]).toEqual([['SignatureDoesNotMatch'], ['refused 1']]);
});

it.each([
  ['the rights for an object', 403, refusal('AccessDenied')],
  ['an archived object', 403, refusal('InvalidObjectState')],
  ['a page of something between', 403, '<html>Forbidden</html>'],
  ['a code that comes too late', 403, `${' '.repeat(1_024)}${refusal('SignatureDoesNotMatch')}`],
  ['nothing', 403, ''],
  [
    'a code that a message quotes',
    403,
    refusal('AccessDenied').replace('no', '&lt;Code>InvalidToken&lt;/Code>'),
  ],
])('a refusal about %s is an answer', async (_what, status, body) => {
  const { answer } = sent();
  answer.answered(status, []);
  if (body !== '') answer.arrived(Buffer.from(body));
  answer.ended();
  expect([told, await counted()]).toEqual([[String(status)], [`${status} 1`]]);
});

it('an answer to HEAD does not say what it refuses', async () => {
  const { answer } = sent('HEAD');
  answer.answered(403, []);
  answer.ended();
  expect([told, await counted()]).toEqual([['403 untold'], ['403 1']]);
});

it('a request without a signature has none that is refused', async () => {
  const { answer } = sent('GET', false);
  answer.answered(403, []);
  answer.arrived(Buffer.from(refusal('SignatureDoesNotMatch')));
  answer.ended();
  expect([told, await counted()]).toEqual([['403'], ['403 1']]);
});

it('other answers are counted when their head arrives', async () => {
  const { answer } = sent();
  answer.answered(404, []);
  expect([told, await counted()]).toEqual([['404'], ['404 1']]);
});

it('a refusal whose body breaks off is counted once, with its status', async () => {
  const { answer } = sent();
  answer.answered(403, []);
  answer.failed(new StoreError('BROKEN', 'the connection broke', undefined));
  expect([told, await counted()]).toEqual([['BROKEN'], ['403 1']]);
});

it('and so is one that nobody waits for', async () => {
  const { call, answer } = sent();
  answer.answered(403, []);
  call.abort();
  expect([told, await counted()]).toEqual([[], ['403 1']]);
});
