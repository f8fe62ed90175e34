import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { OverloadedError } from '../../../../src/gateway/fill/fill-error.ts';
import { ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { PendingSends, StalledClientError } from '../../../../src/gateway/reply/pending-sends.ts';
import { Admission, TooManyRequestsError } from '../../../../src/gateway/request/admission.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { accessLogTo } from '../../../support/access-log-to.ts';
import { anyRate } from '../../../support/any-rate.ts';

/** An observer, the lines that it writes and the metrics that it counts in. */
function observing() {
  const lines: string[] = [];
  const metrics = new Metrics();
  const observer = new ExchangeObserver({
    rates: anyRate,
    ...{ metrics, clock: systemClock },
    accessLog: accessLogTo(line => void lines.push(line)),
    admission: new Admission({
      urlBytes: 1,
      requests: 1,
      requestsPerAddress: 1,
      requestsPerAccessKey: 1,
      connectionsPerAccessKey: 10_000,
    }),
    sends: new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false }),
    onArchivedRead: () => undefined,
  });
  return { observer, lines, metrics };
}

function exchangeFor(url: string): Exchange {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const ends = { refuse: () => undefined, fault: () => undefined };
  return new Exchange(response, 'GET', url, 0, 'id', 'id2', { now: 'today' }, ends);
}

it('writes short lines, however long what a client sent and what was said of it', () => {
  const { observer, lines } = observing();
  const exchange = exchangeFor(`/b/${'k'.repeat(30_000)}`);
  exchange.failure = new Error(`refused: ${'v'.repeat(30_000)}`);
  observer.began();
  observer.sent(exchange);
  const [line = ''] = lines;
  expect(JSON.parse(line)).toMatchObject({
    failure: `refused: ${'v'.repeat(503)}`,
    url: `/b/${'k'.repeat(16_381)}`,
  });
  expect(line.length).toBeLessThan(18_000);
});

it.each([
  [new OverloadedError(), { memory: 1, requests: 0, stalled: 0 }],
  [new TooManyRequestsError('requests'), { memory: 0, requests: 1, stalled: 0 }],
  [new StalledClientError(), { memory: 0, requests: 0, stalled: 1 }],
  [new Error('the store is gone'), { memory: 0, requests: 0, stalled: 0 }],
  [undefined, { memory: 0, requests: 0, stalled: 0 }],
])('counts a request that ended with %s by why it was sent away, once', async (failure, expected) => {
  const { observer, metrics } = observing();
  const exchange = exchangeFor('/b/k');
  exchange.failure = failure;
  observer.began();
  observer.sent(exchange);
  observer.sent(exchange);
  const families = await metrics.snapshot();
  const family = families.find(({ name }) => name === 'tidegate_requests_shed_total');
  expect(Object.fromEntries(family?.values.map(({ labels, value }) => [labels.reason, value]) ?? [])).toEqual(
    expected,
  );
});
