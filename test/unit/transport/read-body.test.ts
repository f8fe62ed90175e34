import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { readBody } from '../../../src/transport/read-body.ts';
import { ManualClock } from '../../support/manual-clock.ts';

it('reads a body of exactly as many bytes as allowed', async () => {
  const request = new PassThrough();
  const body = readBody(request, 6);
  request.write('abc');
  request.end('def');
  expect(await body).toEqual({ kind: 'whole', bytes: Buffer.from('abcdef') });
});

it('stops at one byte more, and passes over the rest', async () => {
  const request = new PassThrough();
  const body = readBody(request, 6);
  request.write('abcdefg');
  expect(await body).toEqual({ kind: 'too large' });
  expect(request.listenerCount('data')).toBe(0);
  expect(request.readableFlowing).toBe(true);
});

it('stops when the time is over, and cancels the timer of a body that came in time', async () => {
  const clock = new ManualClock();
  const cancelled = vi.fn();
  vi.spyOn(clock, 'after').mockReturnValueOnce({ cancel: cancelled });
  const inTime = new PassThrough();
  const whole = readBody(inTime, 6, { limitMs: 1_000, clock });
  inTime.end('abc');
  expect(await whole).toMatchObject({ kind: 'whole' });
  expect(cancelled).toHaveBeenCalledOnce();
  const slow = readBody(new PassThrough(), 6, { limitMs: 1_000, clock });
  clock.advance(1_000);
  expect(await slow).toEqual({ kind: 'too slow' });
});

it('tells a body that broke off, before or during the reading, and takes an error after it', async () => {
  const request = new PassThrough();
  const body = readBody(request, 6);
  request.write('abc');
  request.destroy(new Error('planted: reset'));
  expect(await body).toEqual({ kind: 'broken off' });
  expect(await readBody(request, 6)).toEqual({ kind: 'broken off' });
  const late = new PassThrough();
  const large = readBody(late, 2);
  late.write('abc');
  expect(await large).toEqual({ kind: 'too large' });
  expect(() => late.emit('error', new Error('planted: late'))).not.toThrow();
});
