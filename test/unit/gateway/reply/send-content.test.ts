import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { Content, ContentReader, Loan } from '../../../../src/cache/content.ts';
import type { Coverage } from '../../../../src/cache/coverage.ts';
import { PartMap } from '../../../../src/cache/part-map.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { sendContent } from '../../../../src/gateway/reply/send-content.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import type { Answer } from '../../../../src/transport/answer.ts';

/** More than is lent at once. */
const sizeBytes = 6_000_000;
const sends = new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false });
let server: Server;
let handle: (response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((_request, response) => handle(response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => new Promise(resolve => server.close(resolve)));

/** A content that counts what it lends and what it gets back. */
class CountingContent implements Content {
  readonly sizeBytes = sizeBytes;
  readonly parts = new PartMap();
  lent = 0;
  opened = 0;
  closed = 0;
  readonly #first: Promise<Loan | undefined>;

  constructor(first: Promise<Loan | undefined>) {
    this.#first = first;
  }

  coverage(): 'all' {
    return 'all';
  }

  peekText(): undefined {
    return undefined;
  }

  lend(from: number, to: number): Loan {
    this.lent++;
    return {
      bytes: Buffer.alloc(to - from),
      slot: 0,
      release: () => this.lent--,
    };
  }

  open(): ContentReader {
    this.opened++;
    return { next: () => this.#first, close: () => this.closed++ };
  }
}

/** A request whose client leaves; resolves with the response once the server has noticed. */
async function abandoned(meanwhile: (response: ServerResponse) => void): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('not listening');
  handle = response => {
    response.once('close', () => resolve(response));
    meanwhile(response);
    client.destroy();
  };
  const client = get({ port: address.port, host: '127.0.0.1', agent: false });
  client.on('error', () => undefined);
  return promise;
}

function exchangeOf(response: ServerResponse): Exchange {
  const ends = { refuse: () => undefined, fault: () => undefined };
  return new Exchange(
    response,
    'GET',
    '/b/k',
    0,
    'id',
    'id2',
    { now: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    ends,
  );
}

function neverBegins(): Answer {
  throw new Error('an answer has begun');
}

it('lends nothing to a client that has left before the record was found', async () => {
  const response = await abandoned(() => undefined);
  const content = new CountingContent(Promise.resolve(undefined));
  const exchange = exchangeOf(response);
  let sent = 0;
  const callbacks = {
    sends,
    rate: undefined,
    onCoverage: () => undefined,
    begin: neverBegins,
    onStoreWait: () => undefined,
    onBodyStart: neverBegins,
    onEnd: () => sent++,
    failedBeforeHead: () => undefined,
  };
  sendContent(exchange, content, 0, 100_000, callbacks);
  sendContent(exchange, content, 0, sizeBytes, callbacks);
  expect({ sent, lent: content.lent, left: exchange.hasClientLeft }).toEqual({
    sent: 2,
    lent: 0,
    left: true,
  });
  expect(content.opened - content.closed).toBe(0);
});

it('closes its reader as soon as the client leaves, also while the first bytes are awaited', async () => {
  const first = Promise.withResolvers<Loan | undefined>();
  const content = new CountingContent(first.promise);
  const told: string[] = [];
  const callbacks = {
    sends,
    rate: undefined,
    onCoverage: (coverage: Coverage) => told.push(coverage),
    begin: neverBegins,
    onStoreWait: () => undefined,
    onBodyStart: neverBegins,
    onEnd: () => told.push('sent'),
    failedBeforeHead: () => told.push('failed'),
  };
  await abandoned(response => sendContent(exchangeOf(response), content, 0, sizeBytes, callbacks));
  expect({ told, closed: content.closed }).toEqual({
    told: ['all', 'sent'],
    closed: 1,
  });
  first.resolve(content.lend(0, 10));
  await first.promise;
  await Promise.resolve();
  expect({ told, closed: content.closed, lent: content.lent }).toEqual({
    told: ['all', 'sent'],
    closed: 1,
    lent: 0,
  });
});
