import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ObjectAnswer } from '../../../../src/gateway/read/object-answer.ts';
import type { ObjectSource } from '../../../../src/gateway/read/object-source.ts';
import { ObjectServer } from '../../../../src/gateway/read/serve-object.ts';
import { WaitingAnswer } from '../../../../src/gateway/read/waiting-answer.ts';
import { ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { Admission } from '../../../../src/gateway/request/admission.ts';
import type { ClientRead } from '../../../../src/gateway/request/client-read.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { RequestFields } from '../../../../src/s3/request-fields.ts';
import { anyRate } from '../../../support/any-rate.ts';
import { readOf } from '../../../support/object-reads.ts';

const unasked: ObjectSource = {
  records: { recordNamed: () => undefined, epochOf: () => 0 },
  find: () => Promise.reject(new Error('nothing is asked here')),
  invalidate: () => undefined,
  refusedByStore: () => undefined,
};

function waitingAnswer(prepare: (response: ServerResponse) => void = () => undefined) {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  prepare(response);
  const ends = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(response, 'GET', '/b/k', 0, 'id', 'id2', { now: 'today' }, ends);
  const read = readOf('k');
  const visibility = {
    checksums: false,
    taggingCount: false,
    retention: false,
    legalHold: false,
    storeNames: true,
    targeted: true,
  };
  const client: ClientRead = {
    ...{ exchange, fields: new RequestFields([]), read, range: read.range, visibility, overrides: [] },
    ...{ isAllowed: true, mayKnowMissing: true, customerKey: undefined, nowMs: 0 },
    rules: { cache: read.policy },
  };
  const admission = new Admission({
    urlBytes: 1,
    requests: 1,
    requestsPerAddress: 1,
    requestsPerAccessKey: 1,
    connectionsPerAccessKey: 10_000,
  });
  const observer = new ExchangeObserver({
    rates: anyRate,
    ...{ metrics: new Metrics(), clock: systemClock, accessLog: undefined, admission },
    sends: new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false }),
    onArchivedRead: () => undefined,
  });
  const answer = new ObjectAnswer(
    client,
    unasked,
    new ObjectServer(observer, { sourceOf: () => unasked }),
    0,
  );
  return {
    response,
    exchange,
    admission,
    answer,
    client,
    waiting: new WaitingAnswer(answer, client, observer),
  };
}

it('is given once, and its client is of no concern then', () => {
  const { response, exchange, answer, client, waiting } = waitingAnswer();
  expect(waiting.client).toBe(client);
  expect(waiting.take()).toBe(answer);
  expect([waiting.take(), waiting.client]).toEqual([undefined, undefined]);
  response.emit('close');
  expect(exchange.hasClientLeft).toBe(false);
});

it('holds nothing of a client that has left, and the request is over', () => {
  const { response, exchange, admission, waiting } = waitingAnswer();
  expect(admission.waiting).toEqual({ requests: 1, clients: 1 });
  response.emit('close');
  expect([waiting.take(), waiting.client]).toEqual([undefined, undefined]);
  expect({ left: exchange.hasClientLeft, over: exchange.isOver }).toEqual({ left: true, over: true });
  expect(admission.waiting).toEqual({ requests: 0, clients: 0 });
});

it('is over at once where the client had left before', () => {
  const { exchange, waiting } = waitingAnswer(response => void response.destroy());
  expect(waiting.take()).toBeUndefined();
  expect({ left: exchange.hasClientLeft, over: exchange.isOver }).toEqual({ left: true, over: true });
});
