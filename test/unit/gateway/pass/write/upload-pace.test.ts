import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { ClientRates } from '../../../../../src/base/client-rates.ts';
import { UploadPace } from '../../../../../src/gateway/pass/write/upload-pace.ts';
import { BodyRate } from '../../../../../src/gateway/reply/body-rates.ts';
import { isHeldBack } from '../../../../../src/transport/held-back.ts';
import { ServedRequest } from '../../../../../src/transport/served-request.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

let clock: ManualClock;
let response: ServerResponse;
let pace: UploadPace;

beforeEach(() => {
  clock = new ManualClock();
  response = new ServerResponse(new ServedRequest(new Socket()));
  const rates = new ClientRates(1_000, clock);
  pace = new UploadPace(new BodyRate([{ rates, client: 'c' }], clock), response, step => step);
});

/** Whether neither the response nor its connection may be ended as idle. */
const held = () => [isHeldBack(response), isHeldBack(response.req.socket)];

it('a client that has to wait is not idle until it may go on', () => {
  let steps = 0;
  pace.count(500, () => steps++);
  expect([pace.isWaiting, held()]).toEqual([true, [true, true]]);
  // what was on its way already
  pace.count(500, () => steps++);
  clock.advance(499);
  expect([pace.isWaiting, held(), steps]).toEqual([true, [true, true], 0]);
  clock.advance(1);
  expect([pace.isWaiting, held(), steps]).toEqual([false, [false, false], 1]);
});

it('a wait that is stopped calls nobody, and its client may be idle again', () => {
  pace.count(500, () => {
    throw new Error('nothing more is read');
  });
  pace.stop();
  pace.stop();
  expect([pace.isWaiting, held()]).toEqual([false, [false, false]]);
  clock.advance(10_000);
});
