import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClientRates } from '../../../../../src/base/client-rates.ts';
import { ClientBody } from '../../../../../src/gateway/pass/write/client-body.ts';
import { UploadPace } from '../../../../../src/gateway/pass/write/upload-pace.ts';
import { VerifiedBody } from '../../../../../src/gateway/pass/write/verified-body.ts';
import { BodyRate } from '../../../../../src/gateway/reply/body-rates.ts';
import type { DeclaredPayload } from '../../../../../src/s3/declared-payload.ts';
import { S3Error } from '../../../../../src/s3/error.ts';
import { ServedRequest } from '../../../../../src/transport/served-request.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const plain: DeclaredPayload = {
  ...{ lengthBytes: 5, coding: 'none', signing: undefined },
  ...{ sha256: undefined, md5: undefined, checksum: undefined },
};
let request: ServedRequest;
/** What the store's call learns of the flow, and what is said of the body. */
let heard: string[];
let body: ClientBody;
let receivedBytes: number;
/** What the store has got of the body. */
let got: Buffer[];

beforeEach(() => {
  heard = [];
  got = [];
  begin(plain);
});

function begin(declared: DeclaredPayload, pace?: UploadPace): void {
  receivedBytes = 0;
  request = new ServedRequest(new Socket());
  body = new ClientBody(request, {
    pace,
    convert: pass => new VerifiedBody(declared, { client: 'x-amz-', store: 'x-amz-' }, pass),
    arrived: lengthBytes => {
      receivedBytes += lengthBytes;
    },
    refused: error => heard.push(`refused: ${error instanceof S3Error ? error.code : error}`),
  });
}

/** As the call to the store does when it starts. */
function follow(): void {
  body.follow({
    starved: () => heard.push('starved'),
    fed: lengthBytes => heard.push(`fed ${lengthBytes}`),
    satisfied: () => heard.push('satisfied'),
  });
}

const take = () => void body.stream.on('data', (bytes: Buffer) => got.push(bytes));
const text = () => Buffer.concat(got).toString();

/** A piece arrives from the client; `null` is the end. */
async function arrive(piece: string | Buffer | null): Promise<void> {
  request.push(piece === null ? null : Buffer.from(piece));
  await nextTurn();
}

describe('what the store gets', () => {
  it('is what the client sent, the last piece once all was verified', async () => {
    take();
    for (const piece of ['he', 'll', 'o']) await arrive(piece);
    expect([text(), receivedBytes, body.isSent]).toEqual(['hell', 5, false]);
    await arrive(null);
    expect([text(), receivedBytes, body.isSent]).toEqual(['hello', 5, true]);
    expect(heard).toEqual([]);
  });

  it('counts as the whole once its last bytes were taken, even if its end was not yet told', async () => {
    await arrive('hello');
    await arrive(null);
    // nobody has taken them yet, as while a call waits for its turn
    expect(body.isSent).toBe(false);
    const states: unknown[] = [];
    take();
    body.stream.on('data', () => states.push([text(), body.stream.readableEnded, body.isSent]));
    await nextTurn();
    expect(states.at(-1)).toEqual(['hello', false, true]);
  });

  it('is one piece for many small chunks of one read', async () => {
    const letters = Array.from({ length: 1_000 }, (_, index) => 'abcdefghij'[index % 10] ?? '');
    begin({ ...plain, lengthBytes: letters.length, coding: 'aws-chunked' });
    take();
    await arrive(`${letters.map(letter => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`);
    await arrive(null);
    expect(text()).toBe(letters.join(''));
    expect(got.length).toBeLessThanOrEqual(2);
  });

  it('does not have the last declared byte when more comes than was declared', async () => {
    take();
    await arrive('he');
    await arrive('llo');
    follow();
    await arrive('more');
    await arrive(null);
    expect([text(), body.isSent]).toEqual(['he', false]);
    expect(heard).toEqual(['starved', 'fed 4', 'satisfied', 'refused: IncompleteBody']);
  });

  it.each([
    ['UNSIGNED-PAYLOAD', plain],
    ['a'.repeat(64), { ...plain, sha256: 'a'.repeat(64) }],
    ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { ...plain, checksum: { kind: 'trailer', algorithm: 'crc32' } }],
  ] as const)('is announced with the hash that the client has signed, if any: %s', (hash, declared) => {
    begin(declared);
    expect(body.payloadHash).toBe(hash);
  });
});

describe('a client that the store waits for', () => {
  it('is told of once until it brings something, and once more after each piece', async () => {
    take();
    follow();
    expect(heard).toEqual(['starved']);
    await arrive('he');
    expect(heard).toEqual(['starved', 'fed 2', 'starved']);
    await arrive('ll');
    expect(heard.slice(3)).toEqual(['fed 2', 'starved']);
  });

  it('may have brought something before its call began', async () => {
    await arrive('he');
    follow();
    expect(heard).toEqual(['starved']);
  });

  it('is waited for no more at the end of its body', async () => {
    take();
    follow();
    await arrive('hello');
    await arrive(null);
    expect(heard).toEqual(['starved', 'fed 5', 'starved', 'satisfied']);
  });

  it('is waited for no more when nothing more is wanted', async () => {
    take();
    follow();
    body.stop();
    body.stop();
    await nextTurn();
    expect(heard).toEqual(['starved', 'satisfied']);
  });

  it('is not waited for while the store has not taken what came, but again as soon as it has', async () => {
    const sizeBytes = body.stream.readableHighWaterMark;
    begin({ ...plain, lengthBytes: 3 * sizeBytes });
    follow();
    await arrive('x'.repeat(sizeBytes));
    expect(heard).toEqual(['starved', `fed ${sizeBytes}`]);
    take();
    await nextTurn();
    expect(text()).toHaveLength(sizeBytes);
    expect(heard.slice(2)).toEqual(['starved']);
  });
});

it('the end is read although the store had not taken what came before it, of which nothing was passed on', async () => {
  body.stream.once('data', () => body.stream.pause());
  take();
  await arrive('hell');
  expect([text(), body.stream.isPaused()]).toEqual(['hell', true]);
  await arrive('o');
  expect(request.isPaused()).toBe(true);
  body.stream.resume();
  await nextTurn();
  await arrive(null);
  expect(text()).toBe('hello');
});

it('nothing is waited for once nothing more is wanted of a client that has to wait', async () => {
  const clock = new ManualClock();
  const rate = new BodyRate([{ rates: new ClientRates(1, clock), client: 'c' }], clock);
  const pace = new UploadPace(rate, new ServerResponse(new ServedRequest(new Socket())), step => step);
  begin(plain, pace);
  await arrive('he');
  expect(pace.isWaiting).toBe(true);
  body.leave();
  expect(pace.isWaiting).toBe(false);
});

describe('a body that is refused', () => {
  it('is so once, and the store gets no end of it', async () => {
    begin({ ...plain, sha256: 'a'.repeat(64) });
    take();
    follow();
    await arrive('hello');
    await arrive(null);
    expect(heard.slice(3)).toEqual(['satisfied', 'refused: XAmzContentSHA256Mismatch']);
    request.emit('error', new Error('broke off'));
    await nextTurn();
    expect(heard.filter(event => event.startsWith('refused'))).toHaveLength(1);
    expect([text(), body.stream.destroyed, body.stream.readableEnded]).toEqual(['', true, false]);
  });

  it('may have broken off', async () => {
    take();
    follow();
    await arrive('he');
    request.emit('error', new Error('broke off'));
    await nextTurn();
    expect(heard.slice(3)).toEqual(['satisfied', 'refused: IncompleteBody']);
    expect(body.stream.readableEnded).toBe(false);
  });

  it('is not one that nobody wants any more and breaks off then', async () => {
    body.stop();
    request.emit('error', new Error('broke off'));
    await nextTurn();
    expect(heard).toEqual([]);
  });
});

describe('what the client still sends when nothing more is wanted', () => {
  const stops = [
    ['by the gateway', () => body.stop()],
    // as undici does when its connection breaks
    ['by the store', () => void body.stream.destroy(new Error('the connection broke'))],
  ] as const;

  it.each(stops)('is passed over if the body is small: %s', async (_, stop) => {
    follow();
    await arrive('he');
    stop();
    await nextTurn();
    await arrive('llo');
    expect(request.readableLength).toBe(0);
    await arrive(null);
    expect(request.readableEnded).toBe(true);
    expect(heard).toEqual(['starved', 'fed 2', 'starved', 'satisfied']);
  });

  it.each(stops)('is not read if the handler has taken the body: %s', async (_, stop) => {
    request.isBodyTaken = true;
    follow();
    await arrive('he');
    stop();
    await nextTurn();
    await arrive('llo');
    expect(request.readableLength).toBe(3);
    expect(receivedBytes).toBe(2);
    expect(heard).toEqual(['starved', 'fed 2', 'starved', 'satisfied']);
  });
});
