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
  const reply = new CollectedReply({ status: 200, fields: [] }, 1024 * 1024);
  for (const byte of whole) reply.arrived(Buffer.of(byte));
  const { body } = reply.whole();
  expect(body.equals(Buffer.from(whole))).toBe(true);
  expect(body.buffer.byteLength).toBeLessThanOrEqual(2 * whole.length);
});
