import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ClientBody } from '../../../../../src/gateway/pass/write/client-body.ts';
import { declaredPayload } from '../../../../../src/s3/declared-payload.ts';

/** The pieces that a store gets of a body, which comes in one read. */
async function piecesOf(body: string, contentBytes: number): Promise<Buffer[]> {
  const request = new PassThrough();
  const declared = declaredPayload({
    signed: undefined,
    store: new Map([
      ['content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
      ['decoded-content-length', String(contentBytes)],
    ]),
    contentLength: String(body.length),
    contentMd5: undefined,
    prefix: 'x-amz-',
  });
  const sent = new ClientBody(request as unknown as IncomingMessage, {
    declared,
    prefixes: { client: 'x-amz-', store: 'x-amz-' },
    refused: error => expect.unreachable(String(error)),
  });
  request.end(body);
  const pieces: Buffer[] = [];
  sent.stream.on('data', (piece: Buffer) => void pieces.push(piece));
  await new Promise(resolve => sent.stream.once('end', resolve));
  return pieces;
}

it('many small chunks of one read are one piece for the store', async () => {
  const letters = Array.from({ length: 1_000 }, (_, index) => 'abcdefghij'[index % 10] ?? '');
  const body = `${letters.map(letter => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`;
  const pieces = await piecesOf(body, letters.length);
  expect(Buffer.concat(pieces).toString()).toBe(letters.join(''));
  expect(pieces.length).toBeLessThanOrEqual(2);
});

it('a body counts as sent once its last bytes were taken, even if its end was not yet told', async () => {
  const request = new PassThrough();
  const none = { signing: undefined, sha256: undefined, md5: undefined, checksum: undefined };
  const sent = new ClientBody(request as unknown as IncomingMessage, {
    declared: { lengthBytes: 5, coding: 'none', ...none },
    prefixes: { client: 'x-amz-', store: 'x-amz-' },
    refused: error => expect.unreachable(String(error)),
  });
  request.end('hello');
  await new Promise(resolve => setImmediate(resolve));
  // nobody has taken them yet, as while a call waits for its turn
  expect(sent.isSent).toBe(false);
  let taken = '';
  const states: unknown[] = [];
  sent.stream.on('data', bytes => {
    taken += String(bytes);
    states.push([taken, sent.stream.readableEnded, sent.isSent]);
  });
  await new Promise(resolve => sent.stream.once('end', resolve));
  expect(states.at(-1)).toEqual(['hello', false, true]);
});
