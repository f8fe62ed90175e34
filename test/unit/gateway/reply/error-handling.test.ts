import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Faults } from '../../../../src/base/faults.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { errorHandling } from '../../../../src/gateway/reply/error-handling.ts';
import type { ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { s3Error } from '../../../../src/s3/error.ts';

/** What fails of the gateway, besides the request. */
type Broken = 'date' | 'observer';

/** A request, and its response, that ends by `end`. @returns what became of it */
function endedBy(end: (exchange: Exchange) => void, broken: readonly Broken[] = []) {
  const overs: Exchange[] = [];
  const metrics = new Metrics();
  const sent = (exchange: Exchange) => {
    overs.push(exchange);
    if (broken.includes('observer')) throw new TypeError('the observer is broken');
  };
  const errors = errorHandling({ sent } as ExchangeObserver, new Faults(metrics, undefined));
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.shouldKeepAlive = true;
  const dates = {
    get now(): string {
      if (broken.includes('date')) throw new TypeError('the clock is broken');
      return 'today';
    },
  };
  const exchange = new Exchange(response, 'GET', '/b/k', 0, 'id', 'id2', dates, errors);
  end(exchange);
  return { overs, response, exchange, faults: faultsIn(metrics) };
}

async function faultsIn(metrics: Metrics): Promise<number | undefined> {
  const families = await metrics.snapshot();
  return families.find(({ name }) => name === 'tidegate_request_faults_total')?.values[0]?.value;
}

it('answers with the error, and the request is over', async () => {
  const { overs, response, exchange, faults } = endedBy(of => of.refuse(s3Error('NoSuchKey')));
  expect(overs).toEqual([exchange]);
  expect(response).toMatchObject({ statusCode: 404, writableEnded: true, shouldKeepAlive: true });
  expect(exchange).toMatchObject({ status: 404, errorCode: 'NoSuchKey', failure: { code: 'NoSuchKey' } });
  expect(await faults).toBe(0);
});

it.each(['fault', 'refuse'] as const)(
  'answers an exception (%s) with 500, on a connection that is closed after it',
  async how => {
    const { overs, response, exchange, faults } = endedBy(of => of[how](new TypeError('unexpected')));
    expect(overs).toEqual([exchange]);
    expect(response).toMatchObject({ statusCode: 500, writableEnded: true, shouldKeepAlive: false });
    expect(await faults).toBe(1);
  },
);

it.each([
  ['refused', (exchange: Exchange) => exchange.refuse(s3Error('NoSuchKey'))],
  ['ended by an exception', (exchange: Exchange) => exchange.fault(new TypeError('unexpected'))],
])(
  'a request that is %s is over, and its response cut off, where not even an error can be sent',
  async (_, end) => {
    const { overs, response, exchange, faults } = endedBy(end, ['date']);
    expect(overs).toEqual([exchange]);
    expect(response).toMatchObject({ headersSent: false, destroyed: true });
    expect(await faults).toBe(2);
  },
);

it.each([['date', 'observer'], ['observer']] as const)(
  'never throws, whatever fails: %s',
  async (...broken) => {
    const { response, faults } = endedBy(exchange => exchange.fault(new TypeError('unexpected')), broken);
    expect(response.destroyed).toBe(true);
    expect(await faults).toBe(1 + broken.length);
  },
);

it.each([
  ['refuse', s3Error('NoSuchKey')],
  ['fault', new TypeError('unexpected')],
] as const)('cuts off what has begun: %s', (how, error) => {
  const { overs, response, exchange } = endedBy(of => {
    of.response.writeHead(200, { 'content-length': '10' });
    of.response.flushHeaders();
    of[how](error);
  });
  expect(response).toMatchObject({ destroyed: true, statusCode: 200 });
  expect(overs).toEqual([exchange]);
});

it('keeps the reason that is known already', () => {
  const known = new Error('the store is gone');
  const { exchange } = endedBy(of => {
    of.failure = known;
    of.fault(new TypeError('unexpected'));
  });
  expect(exchange.failure).toBe(known);
});
