import { expect, it } from 'vitest';
import { OverloadedError } from '../../../../../src/gateway/fill/fill-error.ts';
import { Listings } from '../../../../../src/gateway/pass/listing/listings.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const mebibyte = 1024 * 1024;

it('the listings of a worker hold 64 MiB; what finds no room, or no turn in ten seconds, is an overload', async () => {
  const clock = new ManualClock();
  const { room, asks } = new Listings(clock);
  const giveWay = () => undefined;
  room.begin('a', giveWay).resize(64 * mebibyte);
  expect(() => room.begin('a', giveWay).resize(1)).toThrow(OverloadedError);
  const never = new AbortController().signal;
  for (let turn = 0; turn < 8; turn++) await asks.take('a', never);
  const late = asks.take('b', never);
  clock.advance(9_999);
  expect(asks.counts).toEqual({ given: 8, waiting: 1 });
  clock.advance(1);
  await expect(late).rejects.toThrow(OverloadedError);
});
