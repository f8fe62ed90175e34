import { beforeEach, describe, expect, it } from 'vitest';
import { OwnAnswers } from '../../../../src/gateway/web/own-answers.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import { noFields, type WebRead } from '../../../../src/gateway/web/web-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const kinds = {
  plain: { isAuthorized: false, isPersonal: false },
  cookie: { isAuthorized: false, isPersonal: true },
  authorized: { isAuthorized: true, isPersonal: true },
} as const;
type Kind = keyof typeof kinds;

const key = testKey('web', '/', '/k');

function readOf(kind: Kind, client = 0): WebRead {
  const read = {
    ...{ method: 'GET', fields: noFields, sent: [httpHeader('user-agent', `${client}`)], target: { key } },
    ...{ policy: defaultPolicy, bucket: { web: { storesCookies: false } } },
    ...{ client: { quota: `a${client}` }, ...kinds[kind] },
  };
  return read as unknown as WebRead;
}

function answerOf(cacheControl: string) {
  const head = readWebHead({ status: 200, fields: [httpHeader('cache-control', cacheControl)] });
  const times = {
    ...{ epoch: 0, barrier: 0, isUnsettled: false, heldTags: [], groupSlots: () => 0 },
    ...{ requestedMs: 0, receivedMs: 0 },
  };
  return { head, times };
}

let clock: ManualClock;
let own: OwnAnswers;

beforeEach(() => {
  clock = new ManualClock();
  own = new OwnAnswers(clock);
});

/** As many clients get an answer for themselves alone. @param isHeld whether something is held that was for all */
function sawOwn(kind: Kind, count: number, isHeld = false): void {
  for (let client = 0; client < count; client++) own.saw(readOf(kind, client), answerOf('private'), isHeld);
}

describe('each gets an answer of its own', () => {
  it.each(['plain', 'cookie', 'authorized'] as const)('where eight clients got one (%s)', kind => {
    sawOwn(kind, 7);
    sawOwn(kind, 7);
    expect(own.isOfEach(readOf(kind))).toBe(false);
    sawOwn(kind, 8);
    const others = (Object.keys(kinds) as Kind[]).filter(other => own.isOfEach(readOf(other)));
    expect(others).toEqual([kind]);
  });

  it('but two that send the same do not', () => {
    sawOwn('plain', 8);
    const [one, other] = [readOf('plain', 1), readOf('plain', 2)];
    expect([own.isOfBoth(one, other), own.isOfBoth(one, readOf('plain', 1))]).toEqual([true, false]);
    expect(own.isOfBoth(one, readOf('cookie', 2))).toBe(false);
  });

  it('as far as is known for a minute after the last', () => {
    sawOwn('plain', 8);
    clock.advance(30_000);
    sawOwn('plain', 1);
    clock.advance(59_999);
    expect(own.isOfEach(readOf('plain'))).toBe(true);
    clock.advance(1);
    expect(own.isOfEach(readOf('plain'))).toBe(false);
  });

  it('is not learned while something is held that was for all', () => {
    sawOwn('plain', 8, true);
    expect(own.isOfEach(readOf('plain'))).toBe(false);
  });

  it.each(['plain', 'cookie'] as const)(
    'is not so any more for anybody once an answer to one (%s) was for all',
    kind => {
      for (const each of ['plain', 'cookie', 'authorized'] as const) sawOwn(each, 8);
      own.saw(readOf(kind), answerOf('max-age=60'), false);
      const left = (Object.keys(kinds) as Kind[]).filter(each => own.isOfEach(readOf(each)));
      expect(left).toEqual([]);
    },
  );
});
