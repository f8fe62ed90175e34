import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readText } from '../../../../src/alerts/callbacks/read-text.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

it('reads a body that comes in pieces, characters torn apart among them', async () => {
  const request = new PassThrough();
  const body = readText(request, 100, 1_000, new ManualClock());
  const bytes = Buffer.from('why=Tür');
  request.write(bytes.subarray(0, 6));
  request.end(bytes.subarray(6));
  expect(await body).toEqual({ kind: 'text', text: 'why=Tür' });
});

it('refuses a body that stops arriving', async () => {
  const clock = new ManualClock();
  const request = new PassThrough();
  const body = readText(request, 100, 1_000, clock);
  request.write('token=');
  clock.advance(1_000);
  expect(await body).toMatchObject({ kind: 'refused', code: 'body-too-slow' });
});

it('refuses a body as soon as it is too long, whatever it announced', async () => {
  const request = new PassThrough();
  const body = readText(request, 10, 1_000, new ManualClock());
  request.write('x'.repeat(11));
  expect(await body).toMatchObject({ kind: 'refused', code: 'body-too-large' });
});

it('refuses a body that breaks off, and one that is no UTF-8', async () => {
  const broken = new PassThrough();
  const first = readText(broken, 100, 1_000, new ManualClock());
  broken.destroy(new Error('reset'));
  expect(await first).toMatchObject({ kind: 'refused', code: 'body-too-slow' });
  const latin = new PassThrough();
  const second = readText(latin, 100, 1_000, new ManualClock());
  latin.end(Buffer.from([0x77, 0xfc]));
  expect(await second).toMatchObject({ kind: 'refused', code: 'form-ambiguous' });
});
