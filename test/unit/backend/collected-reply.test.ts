import { expect, it } from 'vitest';
import { CollectedReply } from '../../../src/backend/collected-reply.ts';

it('keeps what has arrived when the memory that it arrived in is used again', () => {
  const refusal = new CollectedReply({ status: 404, fields: [] });
  for (const part of ['<Error', '/>']) {
    const chunk = Buffer.from(part);
    refusal.arrived(chunk);
    chunk.fill(0xee);
  }
  expect(refusal.whole().body.toString()).toBe('<Error/>');
});

it('cuts a body after 64 KiB', () => {
  const refusal = new CollectedReply({ status: 500, fields: [] });
  for (let count = 0; count < 3; count++) refusal.arrived(Buffer.alloc(40 * 1024));
  expect(refusal.whole().body.length).toBe(64 * 1024);
});

it('keeps a body of many small pieces in little more memory than its bytes', () => {
  const whole = Array.from({ length: 50_000 }, (_, at) => at % 251);
  const reply = new CollectedReply({ status: 200, fields: [] }, { limitBytes: 1024 * 1024 });
  for (const byte of whole) reply.arrived(Buffer.of(byte));
  const { body } = reply.whole();
  expect(body.equals(Buffer.from(whole))).toBe(true);
  expect(body.buffer.byteLength, 'what is kept has no room to spare').toBe(whole.length);
});

it.each([300, 500])('cuts the body of a %i at the limit for errors where more was asked for', status => {
  const reply = new CollectedReply({ status, fields: [] }, { limitBytes: 1024 * 1024 });
  for (let count = 0; count < 3; count++) reply.arrived(Buffer.alloc(40 * 1024));
  expect([reply.isFull, reply.whole().body.length]).toEqual([true, 64 * 1024]);
});

it('tells before its memory grows, and no more than doubles it', () => {
  const sizes: number[] = [];
  const grew = (sizeBytes: number) => sizes.push(sizeBytes);
  const reply = new CollectedReply({ status: 200, fields: [] }, { limitBytes: 20_000, grew });
  for (let count = 0; count < 30; count++) reply.arrived(Buffer.alloc(1000));
  expect([sizes, reply.whole().body.length]).toEqual([[4096, 8192, 16_384, 20_000], 20_000]);
});
