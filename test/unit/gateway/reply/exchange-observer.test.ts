import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { ExchangeObserver } from '../../../../src/gateway/reply/exchange-observer.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { Admission } from '../../../../src/gateway/request/admission.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';

it('writes short lines, however long what a client sent and what was said of it', () => {
  const lines: string[] = [];
  const observer = new ExchangeObserver({
    ...{ metrics: new Metrics(), clock: systemClock },
    accessLog: createLogger({
      level: 'info',
      sink: { write: line => void lines.push(line), flush: () => undefined },
    }),
    admission: new Admission({ urlBytes: 1, requests: 1, requestsPerAddress: 1 }),
    sends: new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false }),
    onArchivedRead: () => undefined,
  });
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const ends = { refuse: () => undefined, fault: () => undefined };
  const url = `/b/${'k'.repeat(30_000)}`;
  const exchange = new Exchange(response, 'GET', url, 0, 'id', 'id2', 'today', ends);
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
