import { beforeEach, describe, expect, it } from 'vitest';
import { StoreQuestion } from '../../../../src/backend/breaker/store-question.ts';
import { healthRequest } from '../../../../src/backend/health-request.ts';
import type { OriginReceiver } from '../../../../src/backend/origin-call.ts';
import { StoreError, type StoreErrorCode } from '../../../../src/backend/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

let clock: ManualClock;
let told: boolean[];
let hows: string[];
let counted: string[];
let aborts: number;
let receiver: OriginReceiver;

beforeEach(() => {
  clock = new ManualClock();
  told = [];
  hows = [];
  counted = [];
  aborts = 0;
});

const nothing = () => undefined;
const meter = {
  answered: (_request: unknown, status: number) => counted.push(String(status)),
  ended: (_request: unknown, how: string | number) => counted.push(String(how)),
  ...{ arrived: nothing, answering: nothing, refused: nothing, retried: nothing, hedged: nothing },
};

function ask(fails?: StoreError, atOnce?: (to: OriginReceiver) => void): void {
  const send = (_request: unknown, to: OriginReceiver) => {
    if (fails) throw fails;
    receiver = to;
    atOnce?.(to);
    return { pause: nothing, resume: nothing, abort: () => aborts++ };
  };
  StoreQuestion.ask(
    { clock, meter, outages: undefined, isSigned: true, send, limitMs: 3_000 },
    healthRequest({ bucket: 'b', fields: [] }),
    (isAlive, how) => {
      told.push(isAlive);
      hows.push(how);
    },
  );
}

describe('a store that answers', () => {
  it.each([200, 301, 400, 401, 403, 404, 405, 412, 501])('%s works', status => {
    ask();
    receiver.answered(status, []);
    receiver.ended();
    expect([told, counted, aborts]).toEqual([[true], [String(status)], 1]);
  });

  it.each([429, 500, 502, 503, 504])('%s does not', status => {
    ask();
    receiver.answered(status, []);
    receiver.ended();
    expect([told, counted]).toEqual([[false], [String(status)]]);
  });
});

it.each([
  [true, ['400 true', '401 true', '403 true', '404 false', '200 false']],
  [false, ['400 false', '401 false', '403 false', '404 false', '200 false']],
])('a refusal of what was signed (%s) does not say what it is about', (isSigned, expected) => {
  const noted: string[] = [];
  const outages = {
    ...{ refused: nothing, failed: nothing },
    answered: (status: number, isUntold?: boolean) => void noted.push(`${status} ${isUntold}`),
  };
  const send = (_request: unknown, to: OriginReceiver) => {
    receiver = to;
    return { pause: nothing, resume: nothing, abort: nothing };
  };
  for (const status of [400, 401, 403, 404, 200]) {
    const parts = { clock, meter, outages, isSigned, send, limitMs: 3_000 };
    StoreQuestion.ask(parts, healthRequest({ bucket: 'b', fields: [] }), nothing);
    receiver.answered(status, []);
  }
  expect(noted).toEqual(expected);
});

describe('a store does not work', () => {
  it.each<StoreErrorCode>(['UNREACHABLE', 'TIMEOUT', 'BROKEN', 'INVALID'])('whose answer is %s', code => {
    ask();
    receiver.failed(new StoreError(code, 'failed', undefined));
    expect([told, counted]).toEqual([[false], [code.toLowerCase()]]);
  });

  it('that ends its answer before it has said anything', () => {
    ask();
    receiver.ended();
    expect([told, counted]).toEqual([[false], ['invalid']]);
  });

  it('that does not answer within the limit, and what it answers later counts for nothing', () => {
    ask();
    clock.advance(2_999);
    expect(told).toEqual([]);
    clock.advance(1);
    receiver.answered(200, []);
    receiver.ended();
    expect([told, counted, aborts]).toEqual([[false], ['timeout'], 1]);
    // as an object whose first byte does not come in time
    expect(hows).toEqual(['FIRST_BYTE_TIMEOUT']);
  });

  it('unless its answer could not be read in time, since the thread stood still', () => {
    ask();
    clock.holdUp(4_000);
    clock.advance(0);
    receiver.answered(200, []);
    expect(told).toEqual([true]);
  });
});

it('that is over before it could be given up is given up all the same', () => {
  ask(undefined, to => to.answered(200, []));
  expect([told, counted, aborts]).toEqual([[true], ['200'], 1]);
});

it('says nothing of a store that it cannot be signed for', async () => {
  ask(new StoreError('UNSIGNED', 'no credentials', undefined));
  expect(told).toEqual([]);
  await Promise.resolve();
  expect([told, counted]).toEqual([[true], ['unsigned']]);
});
