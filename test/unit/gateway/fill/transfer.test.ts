import { expect, it } from 'vitest';
import { Transfer } from '../../../../src/gateway/fill/transfer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const chunk = Buffer.alloc(64 * 1024, 'a chunk');

function paused(): { readonly transfer: Transfer; readonly buffered: Buffer } {
  const transfer = new Transfer(new ManualClock());
  transfer.pause(chunk);
  const buffered = transfer.takeBuffered();
  if (!buffered) throw new Error('nothing is buffered');
  return { transfer, buffered };
}

it('buffers a copy: the memory of what arrives is used again', () => {
  const { buffered } = paused();
  expect(buffered.equals(chunk)).toBe(true);
  expect(buffered.buffer).not.toBe(chunk.buffer);
});

it('copies no byte again, however often there is no slot for the rest', () => {
  const { transfer, buffered } = paused();
  transfer.pause(buffered);
  expect(transfer.takeBuffered()).toBe(buffered);
  const rest = buffered.subarray(1000);
  transfer.pause(rest);
  expect(transfer.takeBuffered()).toBe(rest);
  expect(rest.equals(chunk.subarray(1000))).toBe(true);
});

it('puts what arrives behind the buffered bytes', () => {
  const { transfer, buffered } = paused();
  transfer.pause(buffered);
  expect(
    transfer.takeBuffered(Buffer.from(' and more'))?.equals(Buffer.concat([chunk, Buffer.from(' and more')])),
  ).toBe(true);
});

it.each([
  ['when the transfer goes on', (transfer: Transfer) => transfer.resume()],
  ['when they are discarded', (transfer: Transfer) => transfer.drop()],
  ['when the transfer is given up', (transfer: Transfer) => transfer.giveUp()],
  ['when others take their place', (transfer: Transfer) => transfer.pause(chunk)],
])('the memory of buffered bytes is freed %s', (_when, step) => {
  const { transfer, buffered } = paused();
  step(transfer);
  expect(buffered.buffer.byteLength).toBe(0);
  // nothing is freed twice
  step(transfer);
});

it('has nothing buffered once that was taken', () => {
  const { transfer } = paused();
  expect([transfer.hasBuffered, transfer.takeBuffered()]).toEqual([false, undefined]);
});

it.each([
  ['gives its connection back', false, (_transfer: Transfer) => undefined],
  ['keeps it where these have taken what it had', true, (transfer: Transfer) => void transfer.takeBuffered()],
  ['keeps it where that was discarded', true, (transfer: Transfer) => transfer.drop()],
])('ten seconds after readers were far behind it %s', (_what, isKept, step) => {
  const clock = new ManualClock();
  const transfer = new Transfer(clock);
  let isAborted = false;
  const call = { pause: () => undefined, resume: () => undefined, took: () => undefined };
  transfer.begin({ ...call, abort: () => (isAborted = true) });
  transfer.pauseForReaders(chunk);
  step(transfer);
  clock.advance(10_000);
  expect(isAborted).toBe(!isKept);
});
