import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/base/logger.ts';
import { RefusedSignatures } from '../../../../src/gateway/reply/refused-signatures.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function noting() {
  const lines: Record<string, unknown>[] = [];
  const clock = new ManualClock();
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => undefined };
  const signatures = new RefusedSignatures(createLogger({ level: 'warn', sink }), clock);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const ends = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(response, 'GET', '/b/k', 0, 'id', 'id2', 'today', ends);
  exchange.bucket = 'b';
  exchange.errorCode = 'SignatureDoesNotMatch';
  exchange.refusedSignature = { client: '192.0.2.1', accessKey: 'AKIA', why: 'it is another one' };
  const note = (times: number) => {
    for (let time = 0; time < times; time++) signatures.note(exchange);
    return lines.splice(0);
  };
  return { note, clock };
}

it('a refused signature is logged with who sent it and why it was refused', () => {
  const [line] = noting().note(1);
  expect(line).toMatchObject({
    ...{ level: 'warn', msg: 'a signature was refused', requestId: 'id', bucket: 'b' },
    ...{ code: 'SignatureDoesNotMatch', client: '192.0.2.1', accessKey: 'AKIA', why: 'it is another one' },
  });
  expect(line).not.toHaveProperty('leftOut');
});

it('there are ten lines at once and one more every six seconds, which tells how many were left out', () => {
  const { note, clock } = noting();
  expect(note(15)).toHaveLength(10);
  clock.advance(5_999);
  expect(note(1)).toEqual([]);
  clock.advance(1);
  expect(note(3).map(({ leftOut }) => leftOut)).toEqual([6]);
  // what is left of six seconds counts
  clock.advance(17_000);
  expect(note(3).map(({ leftOut }) => leftOut)).toEqual([2, undefined]);
  clock.advance(1_000);
  expect(note(2)).toHaveLength(1);
});

it('of a long time without refused signatures no more than ten lines are saved up', () => {
  const { note, clock } = noting();
  clock.advance(3_600_000);
  expect(note(15)).toHaveLength(10);
});
