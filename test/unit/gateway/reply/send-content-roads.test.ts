import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type { Content, ContentReader, Loan } from '../../../../src/cache/content.ts';
import type { Coverage } from '../../../../src/cache/coverage.ts';
import { PartMap } from '../../../../src/cache/part-map.ts';
import { ObjectChangedError } from '../../../../src/gateway/fill/fill-error.ts';
import { PendingSends } from '../../../../src/gateway/reply/pending-sends.ts';
import { sendContent } from '../../../../src/gateway/reply/send-content.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { type Answer, StandardAnswer } from '../../../../src/transport/answer.ts';
import { listenLocally } from '../../../support/listen-locally.ts';

const kibibyte = 1024;
const textLimitBytes = 4 * kibibyte;
const loanLimitBytes = kibibyte * kibibyte;
const sends = new PendingSends(systemClock, { holds: () => 0, claimNeed: () => false });

/** What is done with a content of which parts may be in memory, and what it gives. */
class RoadContent implements Content {
  readonly sizeBytes = 4 * loanLimitBytes;
  readonly parts = new PartMap();
  /** What is asked of it, in order. */
  readonly steps: string[] = [];
  isText = false;
  isLent = false;
  /** What readers get next; nothing more at the end. */
  next: (() => ReturnType<ContentReader['next']>)[] = [];
  failure: Error | undefined;
  /** What another worker tells readers with their first bytes. */
  held: Coverage | undefined;

  coverage(): 'some' {
    return 'some';
  }

  peekText(from: number, to: number): string | undefined {
    this.steps.push('text');
    return this.isText ? 't'.repeat(to - from) : undefined;
  }

  lend(from: number, to: number): Loan | undefined {
    this.steps.push('loan');
    return this.isLent ? this.loan(to - from) : undefined;
  }

  open(): ContentReader {
    this.steps.push('reader');
    const content = this;
    return {
      next: () => {
        if (this.failure) throw this.failure;
        return this.next.shift()?.();
      },
      get held() {
        return content.held;
      },
      close: () => void this.steps.push('closed'),
    };
  }

  loan(lengthBytes: number): Loan {
    const release = () => void this.steps.push('released');
    return { bytes: Buffer.alloc(lengthBytes, 'b'), slot: undefined, release };
  }
}

let server: Server;
let url: string;
let handle: (response: ServerResponse) => void;
let content: RoadContent;
/** The callbacks that were called, in order. */
let told: string[];
let exchange: Exchange;

beforeEach(async () => {
  server = createServer((_, response) => handle(response));
  url = await listenLocally(server);
  content = new RoadContent();
  told = [];
});

afterEach(() => {
  server.closeAllConnections();
  return new Promise(resolve => server.close(resolve));
});

interface Sent {
  readonly from?: number;
  readonly to: number;
  readonly method?: 'GET' | 'HEAD';
  readonly begin?: () => Answer;
  readonly onStoreWait?: () => void;
}

/** Sends `[from, to)` of the content; resolves with what the client gets once the sending has ended. */
async function send({ from = 0, to, method = 'GET', begin, onStoreWait }: Sent): Promise<Buffer> {
  const ended = Promise.withResolvers<void>();
  const tell = (word: string) => void told.push(word);
  handle = response => {
    const fault = (_: Exchange, error: unknown) => {
      tell(`fault: ${error instanceof Error ? error.message : error}`);
      response.destroy();
      ended.resolve();
    };
    exchange = new Exchange(
      response,
      method,
      '/b/k',
      0,
      'id',
      'id2',
      { now: 'today' },
      { refuse: fault, fault },
    );
    const callbacks = {
      sends,
      rate: undefined,
      onCoverage: tell,
      begin: () => {
        tell('begin');
        return begin ? begin() : standard(response, to - from);
      },
      onStoreWait: () => {
        tell('wait');
        onStoreWait?.();
      },
      onBodyStart: () => tell('body'),
      onEnd: () => {
        tell('end');
        ended.resolve();
      },
      failedBeforeHead: (error: unknown) => {
        tell(`failed: ${error instanceof Error ? error.message : error}`);
        response.destroy();
        ended.resolve();
      },
    };
    try {
      sendContent(exchange, content, from, to, callbacks);
    } catch (error) {
      fault(exchange, error);
    }
  };
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | undefined>();
  get(url, { method, agent: false }, resolve).on('error', () => resolve(undefined));
  const answer = await promise;
  const body = answer ? await buffer(answer).catch(() => Buffer.alloc(0)) : Buffer.alloc(0);
  await ended.promise;
  return body;
}

function standard(response: ServerResponse, lengthBytes: number): Answer {
  response.writeHead(200, { 'content-length': lengthBytes });
  return new StandardAnswer(response);
}

describe('what is in memory', () => {
  it.each([
    [0, textLimitBytes],
    [1_000_000, 1_000_000 + textLimitBytes],
  ])('is sent as text with the head up to 4 KiB: bytes %d to %d', async (from, to) => {
    content.isText = true;
    expect((await send({ from, to })).toString()).toBe('t'.repeat(textLimitBytes));
    expect([content.steps, told]).toEqual([['text'], ['all', 'begin', 'end']]);
    expect(exchange.bodyBytes).toBe(textLimitBytes);
  });

  it.each([
    [0, textLimitBytes + 1],
    [1_000_000, 1_000_000 + loanLimitBytes],
  ])('is lent above that, and given back when the client has it: bytes %d to %d', async (from, to) => {
    content.isText = true;
    content.isLent = true;
    expect(await send({ from, to })).toHaveLength(to - from);
    expect(content.steps).toEqual(['loan', 'released']);
    expect(told).toEqual(['all', 'begin', 'body', 'end']);
    expect(exchange).toMatchObject({ bodyBytes: to - from, hasClientLeft: false });
  });

  it('is given back, and nothing more is said, when the answer cannot begin', async () => {
    content.isLent = true;
    const begin = () => {
      throw new Error('no head');
    };
    await send({ to: textLimitBytes + 1, begin });
    expect(content.steps).toEqual(['loan', 'released']);
    expect(told).toEqual(['all', 'begin', 'fault: no head']);
  });
});

it.each<[string, Sent]>([
  ['a HEAD', { method: 'HEAD', to: loanLimitBytes }],
  ['an empty range', { from: 5, to: 5 }],
])('for %s nothing is asked for', async (_, sent) => {
  expect(await send(sent)).toHaveLength(0);
  expect([content.steps, told, exchange.bodyBytes]).toEqual([[], ['all', 'begin', 'end'], 0]);
});

describe('what is not in memory, or more than one loan', () => {
  it.each([
    [10, ['text', 'loan', 'reader']],
    [textLimitBytes + 1, ['loan', 'reader']],
    [loanLimitBytes + 1, ['reader']],
  ])('is read: %d bytes', async (to, steps) => {
    content.isLent = to > loanLimitBytes;
    content.next = [() => content.loan(3), () => content.loan(to - 3)];
    expect(await send({ to })).toHaveLength(to);
    expect(content.steps.slice(0, steps.length)).toEqual(steps);
    expect(content.steps.filter(step => step === 'released')).toHaveLength(2);
    expect(content.steps.filter(step => step === 'closed')).toHaveLength(1);
    expect(told).toEqual(['some', 'begin', 'body', 'end']);
    expect(exchange).toMatchObject({ bodyBytes: to, hasClientLeft: false, failure: undefined });
  });

  it('is waited for before the head', async () => {
    content.next = [() => Promise.resolve(content.loan(10))];
    expect(await send({ to: 10 })).toHaveLength(10);
    expect(told).toEqual(['wait', 'some', 'begin', 'body', 'end']);
  });

  it('is as much as its owner tells, where another worker owns it, whatever becomes of the answer', async () => {
    const comes = (loan?: Loan) => async () => {
      content.held = 'all';
      if (!loan) throw new Error('gone');
      return loan;
    };
    content.next = [comes(content.loan(10))];
    await send({ to: 10 });
    expect(told).toEqual(['wait', 'all', 'begin', 'body', 'end']);
    [told, content.held, content.next] = [[], undefined, [comes()]];
    await send({ to: 10 });
    expect(told).toEqual(['wait', 'all', 'failed: gone']);
  });

  it('and cannot be read has no head', async () => {
    content.next = [() => Promise.reject(new Error('gone'))];
    await send({ to: 10 });
    expect(told).toEqual(['wait', 'some', 'failed: gone']);
    content.failure = new Error('gone at once');
    told = [];
    await send({ to: 10 });
    expect(told).toEqual(['some', 'failed: gone at once']);
    expect(content.steps.filter(step => step === 'closed')).toHaveLength(2);
  });

  it.each<[string, Error, string[]]>([
    ['a reason', new ObjectChangedError('length'), []],
    ['a reason, which may be a fault of the gateway', new TypeError('planted'), ['fault: planted']],
  ])('and breaks off later has %s', async (_, failure, faults) => {
    content.next = [() => content.loan(4), () => Promise.reject(failure)];
    await send({ to: 10 });
    expect(told).toEqual(['some', 'begin', 'body', ...faults, 'end']);
    expect(exchange).toMatchObject({ bodyBytes: 4, failure, hasClientLeft: false });
    expect(content.steps.filter(step => step === 'released')).toHaveLength(1);
  });

  it('and may not be waited for gives back what comes nevertheless', async () => {
    const first = Promise.withResolvers<Loan>();
    content.next = [() => first.promise];
    const onStoreWait = () => {
      throw new Error('too many');
    };
    await send({ to: 10, onStoreWait });
    expect(told).toEqual(['wait', 'some', 'failed: too many']);
    first.resolve(content.loan(10));
    await first.promise;
    await new Promise(resolve => setImmediate(resolve));
    expect(content.steps).toEqual(['text', 'loan', 'reader', 'closed', 'released']);
    expect(told).toHaveLength(3);
  });

  it('and whose answer cannot begin is given back', async () => {
    content.next = [() => Promise.resolve(content.loan(10))];
    const begin = () => {
      throw new Error('no head');
    };
    await send({ to: 10, begin });
    expect(told.slice(0, 4)).toEqual(['wait', 'some', 'begin', 'fault: no head']);
    expect(content.steps).toContain('released');
    // with the connection, which a fault closes
    await expect.poll(() => content.steps).toContain('closed');
  });
});
