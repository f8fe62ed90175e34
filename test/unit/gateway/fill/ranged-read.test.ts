import { beforeEach, describe, expect, it } from 'vitest';
import type { StoreReplyHead } from '../../../../src/backend/store.ts';
import { StoreError } from '../../../../src/backend/store.ts';
import {
  InvalidReplyError,
  ObjectChangedError,
  RefusedByStoreError,
} from '../../../../src/gateway/fill/fill-error.ts';
import { RangedRead, type RangeReceiver } from '../../../../src/gateway/fill/ranged-read.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';

const sizeBytes = 100;
const identity = { objectKey: 'main\nb\nk', versionId: undefined, entityTag: '"t"', sizeBytes };
const content = Buffer.from(Array.from({ length: sizeBytes }, (_, position) => position));

/** Notes what it is given. */
class Receiver implements RangeReceiver {
  readonly #chunks: Buffer[] = [];
  taker: Receiver | undefined;
  hasExcess = false;
  outcome: 'open' | 'done' | Error = 'open';

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  bytes(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  done(): void {
    this.outcome = 'done';
  }

  failed(error: Error): void {
    this.outcome = error;
  }

  excess(): void {
    this.hasExcess = true;
  }

  whole(): RangeReceiver | undefined {
    return this.taker;
  }
}

let receiver: Receiver;
let read: RangedRead;

beforeEach(() => {
  receiver = new Receiver();
  read = new RangedRead(identity, 10, 20, receiver);
});

function partial(different: Readonly<Record<string, string>> = {}): StoreReplyHead {
  const fields = { etag: '"t"', 'content-range': 'bytes 10-19/100', 'content-length': '10', ...different };
  return { status: 206, fields: Object.entries(fields).map(([name, value]) => httpHeader(name, value)) };
}

function wholeHead(different: Readonly<Record<string, string>> = {}): StoreReplyHead {
  const fields = { etag: '"t"', 'content-length': '100', ...different };
  return { status: 200, fields: Object.entries(fields).map(([name, value]) => httpHeader(name, value)) };
}

/** Sends `bytes` in pieces of three. */
function send(bytes: Buffer): void {
  for (let start = 0; start < bytes.length; start += 3) read.arrived(bytes.subarray(start, start + 3));
}

it.each([
  ['a part', partial({ 'content-encoding': 'gzip' })],
  ['the whole', wholeHead({ 'content-encoding': 'gzip' })],
])('%s in another content encoding is another content, whatever its tag says', (_, head) => {
  read.answered(head);
  send(content.subarray(10, 20));
  read.ended();
  expect(receiver.outcome).toBeInstanceOf(ObjectChangedError);
  expect(receiver.received.length).toBe(0);
});

it('hands on the range that was asked for', () => {
  read.answered(partial());
  send(content.subarray(10, 20));
  read.ended();
  expect(receiver.outcome).toBe('done');
  expect(receiver.hasExcess).toBe(false);
  expect(receiver.received.equals(content.subarray(10, 20))).toBe(true);
});

describe('law 3: nothing of a 206 is handed on that does not fit', () => {
  it.each([
    ['another range', { 'content-range': 'bytes 11-20/100' }, InvalidReplyError],
    ['a shorter range', { 'content-range': 'bytes 10-18/100' }, InvalidReplyError],
    ['no range', { 'content-range': '' }, InvalidReplyError],
    ['another total', { 'content-range': 'bytes 10-19/101' }, ObjectChangedError],
    ['an unknown total', { 'content-range': 'bytes 10-19/*' }, ObjectChangedError],
    [
      'the end of a shorter object',
      { 'content-range': 'bytes 10-14/15', 'content-length': '5' },
      ObjectChangedError,
    ],
    ['a length beside the range', { 'content-length': '9' }, InvalidReplyError],
    ['another entity tag', { etag: '"u"' }, ObjectChangedError],
    ['a weak entity tag', { etag: 'W/"t"' }, ObjectChangedError],
  ])('%s', (_, different, error) => {
    read.answered(partial(different));
    send(content.subarray(10, 20));
    read.ended();
    expect(receiver.received.length).toBe(0);
    expect(receiver.outcome).toBeInstanceOf(error);
  });
});

it('a body that ends early has broken off', () => {
  read.answered(partial());
  send(content.subarray(10, 19));
  read.ended();
  expect(receiver.outcome).toMatchObject({ code: 'BROKEN' });
  expect(receiver.received.length).toBe(9);
});

it('a body that is longer than it said is cut', () => {
  read.answered(partial());
  send(content.subarray(10, 40));
  expect(receiver.hasExcess).toBe(true);
  expect(receiver.received.equals(content.subarray(10, 20))).toBe(true);
});

it('of a 200 the range is taken from where it lies', () => {
  read.answered(wholeHead());
  send(content);
  read.ended();
  expect(receiver.outcome).toBe('done');
  expect(receiver.received.equals(content.subarray(10, 20))).toBe(true);
});

it('a 200 goes from zero to who takes all of it', () => {
  receiver.taker = new Receiver();
  read.answered(wholeHead());
  send(content);
  read.ended();
  expect(receiver.received.length).toBe(0);
  expect(receiver.outcome).toBe('open');
  expect(receiver.taker.received.equals(content)).toBe(true);
  expect(receiver.taker.outcome).toBe('done');
});

it('a 200 of another content is taken by nobody', () => {
  receiver.taker = new Receiver();
  read.answered(wholeHead({ 'content-length': '99' }));
  send(content);
  read.ended();
  expect(receiver.outcome).toBeInstanceOf(ObjectChangedError);
  expect(receiver.taker.received.length).toBe(0);
});

it.each([
  ['a failed precondition', 412],
  ['a range beyond its end', 416],
])('%s means that the object has changed', (_, status) => {
  read.answered({ status, fields: [] });
  read.ended();
  expect(receiver.outcome).toBeInstanceOf(ObjectChangedError);
});

it('any other refusal is told with its body', () => {
  read.answered({ status: 403, fields: [] });
  send(Buffer.from('<Code>AccessDenied</Code>'));
  read.ended();
  expect(receiver.outcome).toBeInstanceOf(RefusedByStoreError);
  const told = receiver.outcome instanceof RefusedByStoreError ? receiver.outcome.reply.body.toString() : '';
  expect(told).toBe('<Code>AccessDenied</Code>');
  expect(receiver.received.length).toBe(0);
});

it.each([
  ['another entity tag', partial({ etag: '"u"' }), ObjectChangedError],
  ['another range', partial({ 'content-range': 'bytes 11-20/100' }), InvalidReplyError],
  [
    'a 200 of some bytes alone',
    {
      status: 200,
      fields: [httpHeader('etag', '"t"'), httpHeader('content-range', 'bytes 10-19/100')],
    },
    InvalidReplyError,
  ],
  ['201', { status: 201, fields: [] }, InvalidReplyError],
  ['204', { status: 204, fields: [] }, InvalidReplyError],
  ['304', { status: 304, fields: [] }, InvalidReplyError],
])('does not wait for the end of a body that is of no use: %s', (_, head, error) => {
  read.answered(head);
  expect(receiver.outcome).toBeInstanceOf(error);
  const { outcome } = receiver;
  send(content);
  read.ended();
  read.failed(new StoreError('BROKEN', 'cut', undefined));
  expect(receiver.outcome).toBe(outcome);
  expect(receiver.received.length).toBe(0);
});

it('when the connection breaks under an answer that does not fit, what does not fit is what is told', () => {
  read.answered(partial({ etag: '"u"' }));
  read.failed(new StoreError('BROKEN', 'cut', undefined));
  expect(receiver.outcome).toBeInstanceOf(ObjectChangedError);
});

it.each([
  [404, true, ObjectChangedError],
  [403, true, ObjectChangedError],
  [404, false, RefusedByStoreError],
  [503, true, RefusedByStoreError],
  [429, true, RefusedByStoreError],
  [425, true, RefusedByStoreError],
  [408, true, RefusedByStoreError],
])(
  'a refusal %i of a version by its id (%s) is no answer to who reads the current object',
  (status, isByVersion, kind) => {
    const failures: Error[] = [];
    const noted = Object.assign(new Receiver(), { failed: (error: Error) => void failures.push(error) });
    const asked = new RangedRead(identity, 10, 20, noted, () => isByVersion);
    asked.answered({ status, fields: [] });
    asked.ended();
    expect(failures).toEqual([expect.any(kind)]);
  },
);
