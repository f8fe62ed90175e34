import { beforeEach, describe, expect, it } from 'vitest';
import {
  NO_ANSWER,
  type Store,
  type StoreCall,
  StoreError,
  type StoreErrorCode,
  type StoreReceiver,
  type StoreReplyHead,
  type StoreRequest,
} from '../../../../src/backend/store.ts';
import { FallbackRead } from '../../../../src/gateway/read/send-with-fallback.ts';
import { silentStore } from '../../../support/object-reads.ts';

const request: StoreRequest = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };

/** A store that answers what a test has it answer, and notes what is done with the call. */
class HandStore {
  receiver: StoreReceiver | undefined;
  asked: StoreRequest | undefined;
  readonly done: string[] = [];
  readonly store: Store = {
    ...silentStore,
    send: (asked, receiver) => {
      this.asked = asked;
      this.receiver = receiver;
      const note = (what: string) => () => void this.done.push(what);
      return {
        ...{ pause: note('pause'), resume: note('resume'), abort: note('abort') },
        took: bytes => this.done.push(`took ${bytes}`),
      };
    },
  };

  answers(status: number, body = ''): void {
    this.receiver?.answered({ status, fields: [] });
    if (body !== '') this.receiver?.arrived(Buffer.from(body));
    this.receiver?.ended();
  }

  fails(code: StoreErrorCode, reason?: string): void {
    this.receiver?.failed(new StoreError(code, 'failed', undefined, reason));
  }
}

let own: HandStore;
let other: HandStore;
let heard: string[];
let call: StoreCall;

beforeEach(() => {
  [own, other] = [new HandStore(), new HandStore()];
  heard = [];
  const note = (what: string) => void heard.push(what);
  call = FallbackRead.send(
    own.store,
    { store: other.store, onAsked: () => note('asked'), onAnswered: () => note('of the fallback') },
    request,
    {
      answered: ({ status }: StoreReplyHead) => note(String(status)),
      arrived: chunk => note(chunk.toString()),
      ended: () => note('ended'),
      failed: error => note(error instanceof StoreError ? error.code : 'fault'),
    },
  );
});

describe('a store that works', () => {
  it.each([200, 206, 304, 403, 404, 412, 416, 429, 501])('answers alone: %i', status => {
    own.answers(status, 'body');
    expect(heard).toEqual([String(status), 'body', 'ended']);
    expect(other.receiver).toBeUndefined();
  });

  it('and breaks off its answer is not continued', () => {
    own.receiver?.answered({ status: 200, fields: [] });
    own.receiver?.arrived(Buffer.from('some'));
    own.fails('BROKEN');
    expect(heard).toEqual(['200', 'some', 'BROKEN']);
    expect(other.receiver).toBeUndefined();
  });
});

describe('the fallback is asked', () => {
  it.each([500, 502, 503, 504])('when the store answers %i, and its answer alone is heard', status => {
    own.answers(status, 'error');
    expect(heard).toEqual(['asked']);
    expect([own.asked, other.asked]).toEqual([{ ...request, isFailureUntold: true }, request]);
    other.answers(200, 'body');
    expect(heard).toEqual(['asked', 'of the fallback', '200', 'body', 'ended']);
  });

  it.each<[StoreErrorCode, string?]>([
    ['UNREACHABLE'],
    ['TIMEOUT'],
    ['BROKEN'],
    ['INVALID'],
    ['CIRCUIT_OPEN'],
    ['BUSY', NO_ANSWER],
  ])('when the call ends with %s', (code, reason) => {
    own.fails(code, reason);
    other.answers(304);
    expect(heard).toEqual(['asked', 'of the fallback', '304', 'ended']);
  });

  it('once the answer of the store has failed whole, not before', () => {
    own.receiver?.answered({ status: 503, fields: [] });
    expect(other.receiver).toBeUndefined();
    own.fails('BROKEN');
    other.answers(200);
    expect(heard).toEqual(['asked', 'of the fallback', '200', 'ended']);
  });

  it.each<StoreErrorCode>(['BUSY', 'UNSIGNED', 'FAULT'])(
    'not when the gateway itself is the cause: %s',
    code => {
      own.fails(code);
      expect(heard).toEqual([code]);
      expect(other.receiver).toBeUndefined();
    },
  );
});

describe('the failure of the store is told', () => {
  it.each([301, 403, 404, 412, 416, 500])('when the fallback refuses: %i', status => {
    own.answers(500, 'error');
    other.answers(status, 'of the fallback');
    expect(heard).toEqual(['asked', '500', 'error', 'ended']);
    expect(other.done).toEqual(['abort']);
  });

  it('when the fallback fails as well, with the words of the store', () => {
    own.fails('TIMEOUT');
    other.fails('BROKEN');
    expect(heard).toEqual(['asked', 'TIMEOUT']);
  });

  it('but what the fallback has begun is broken off', () => {
    own.fails('TIMEOUT');
    other.receiver?.answered({ status: 200, fields: [] });
    other.receiver?.arrived(Buffer.from('some'));
    other.fails('BROKEN');
    expect(heard).toEqual(['asked', 'of the fallback', '200', 'some', 'BROKEN']);
  });
});

describe('what the reader does with the call', () => {
  it('goes to the store, and to the fallback once that is asked', () => {
    call.pause();
    call.resume();
    call.took(3);
    own.fails('TIMEOUT');
    call.took(4);
    expect([own.done, other.done]).toEqual([['pause', 'resume', 'took 3'], ['took 4']]);
  });

  it('counts for the fallback too: it is asked paused where the reader has paused', () => {
    call.pause();
    own.fails('TIMEOUT');
    expect(other.done).toEqual(['pause']);
  });

  it('ends the call to the store, and asks nothing of the fallback any more', () => {
    call.abort();
    own.fails('BROKEN');
    expect([own.done, heard, other.receiver]).toEqual([['abort'], [], undefined]);
  });

  it('ends the call to the fallback', () => {
    own.fails('TIMEOUT');
    call.abort();
    other.fails('BROKEN');
    expect([own.done, other.done, heard]).toEqual([[], ['abort'], ['asked']]);
  });
});
