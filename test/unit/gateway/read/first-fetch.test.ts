import { beforeEach, describe, expect, it } from 'vitest';
import { StoreError, type StoreReplyHead, type WholeReply } from '../../../../src/backend/store.ts';
import { InvalidReplyError } from '../../../../src/gateway/fill/fill-error.ts';
import {
  type ArrivingBytes,
  type FirstExtent,
  FirstFetch,
} from '../../../../src/gateway/read/first-fetch.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { anythingLearned } from '../../../support/records.ts';

/** What came of a fetch. */
interface Outcome {
  readable?: ArrivingBytes;
  unkeepable?: StoreReplyHead;
  refused?: WholeReply;
  failed?: Error;
  bytes: string;
  bodyEnd?: 'done' | Error;
  hasExcess?: boolean;
}

const maxSizeBytes = 1_000;
let outcome: Outcome;
let wantsBytes: boolean;
let isAborted: boolean;

beforeEach(() => {
  outcome = { bytes: '' };
  wantsBytes = true;
  isAborted = false;
});

function begin(asked: FirstExtent | undefined): FirstFetch {
  const receiver = {
    bytes: (chunk: Buffer) => {
      outcome.bytes += chunk.toString();
    },
    done: () => {
      outcome.bodyEnd = 'done';
    },
    failed: (error: Error) => {
      outcome.bodyEnd = error;
    },
    excess: () => {
      outcome.hasExcess = true;
    },
    whole: () => undefined,
  };
  const fetch = new FirstFetch(asked, maxSizeBytes, {
    take: (_head, arriving) => {
      outcome.readable = arriving;
      return { learned: anythingLearned, receiver: wantsBytes ? receiver : undefined };
    },
    answered: answer => {
      if (answer.kind === 'readable') expect(answer.learned).toBe(anythingLearned);
      else if (answer.kind === 'unkeepable') outcome.unkeepable = answer.head;
      else outcome.refused = answer.reply;
    },
    failed: error => {
      outcome.failed = error;
    },
  });
  fetch.sent({
    pause: () => undefined,
    resume: () => undefined,
    took: () => undefined,
    abort: () => {
      isAborted = true;
    },
  });
  return fetch;
}

function head(status: number, fields: Readonly<Record<string, string>>): StoreReplyHead {
  return { status, fields: Object.entries(fields).map(([name, value]) => httpHeader(name, value)) };
}

const first: FirstExtent = { kind: 'span', from: 0, to: 4 };

it('a 206 brings record and bytes in one', () => {
  const fetch = begin(first);
  fetch.answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }));
  expect(outcome.readable).toEqual({ entityTag: '"t"', sizeBytes: 10, from: 0, to: 4 });
  fetch.arrived(Buffer.from('abcd'));
  fetch.ended();
  expect(outcome).toMatchObject({ bytes: 'abcd', bodyEnd: 'done' });
});

it('chunks after the range are in excess', () => {
  const fetch = begin(first);
  fetch.answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10' }));
  fetch.arrived(Buffer.from('abcd'));
  expect(outcome.hasExcess).toBeUndefined();
  fetch.arrived(Buffer.from('e'));
  expect(outcome).toMatchObject({ bytes: 'abcd', hasExcess: true });
});

it('a 206 without a length of its own is as long as its range', () => {
  const fetch = begin(first);
  fetch.answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10' }));
  fetch.arrived(Buffer.from('ab'));
  fetch.ended();
  expect(outcome.bodyEnd).toMatchObject({ code: 'BROKEN' });
});

it('a 200 brings all of it', () => {
  const fetch = begin({ kind: 'span', from: 4, to: 8 });
  fetch.answered(head(200, { etag: '"t"', 'content-length': '3' }));
  fetch.arrived(Buffer.from('abc'));
  fetch.ended();
  expect(outcome.readable).toEqual({ entityTag: '"t"', sizeBytes: 3, from: 0, to: 3 });
  expect(outcome).toMatchObject({ bytes: 'abc', bodyEnd: 'done' });
});

it('law 3: a 200 that says that it is of some bytes alone is not taken for all of it', () => {
  const fields = { etag: '"t"', 'content-range': 'bytes 4-6/7', 'content-length': '3' };
  for (const asked of [{ kind: 'span', from: 4, to: 8 }, first, undefined] as const) {
    begin(asked).answered(head(200, fields));
    expect(outcome.failed).toBeInstanceOf(InvalidReplyError);
    expect([outcome.readable, isAborted]).toEqual([undefined, true]);
  }
  begin({ kind: 'part', partNumber: 2 }).answered(head(200, fields));
  expect(outcome.unkeepable?.status).toBe(200);
});

it('a suffix and a part lie where the answer says', () => {
  begin({ kind: 'suffix', lengthBytes: 4 }).answered(
    head(206, { etag: '"t"', 'content-range': 'bytes 6-9/10', 'content-length': '4' }),
  );
  expect(outcome.readable).toMatchObject({ from: 6, to: 10 });
  begin({ kind: 'part', partNumber: 2 }).answered(
    head(206, { etag: '"t"', 'content-range': 'bytes 5-7/10', 'content-length': '3' }),
  );
  expect(outcome.readable).toMatchObject({ from: 5, to: 8 });
});

it('row 55: another part may begin there, where there is no first one', () => {
  const asked: FirstExtent = { kind: 'part', partNumber: 2 };
  begin(asked).answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }));
  expect(outcome.readable).toMatchObject({ from: 0, to: 4 });
});

it('the first part lies nowhere but at the beginning', () => {
  const asked: FirstExtent = { kind: 'part', partNumber: 1 };
  begin(asked).answered(head(206, { etag: '"t"', 'content-range': 'bytes 1-4/10', 'content-length': '4' }));
  expect(outcome.failed).toBeInstanceOf(InvalidReplyError);
  expect([outcome.readable, isAborted]).toEqual([undefined, true]);
  begin(asked).answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }));
  expect(outcome.readable).toMatchObject({ from: 0, to: 4 });
});

it.each([
  [1, '3'],
  [2, '3'],
  [2, '0'],
  // Ozone answers so for a part that is not there
  [1, '0'],
])('a 200 to the question for part %i, of %s bytes, brings a part, not the object', (partNumber, length) => {
  begin({ kind: 'part', partNumber }).answered(head(200, { etag: '"t"', 'content-length': length }));
  expect(outcome.unkeepable?.status).toBe(200);
  expect(outcome.readable).toBeUndefined();
  expect(isAborted).toBe(true);
});

/** The MD5 of nothing. */
const emptyTag = '"d41d8cd98f00b204e9800998ecf8427e"';

it('an empty first part of an object with the tag of nothing is the object', () => {
  begin({ kind: 'part', partNumber: 1 }).answered(head(200, { etag: emptyTag, 'content-length': '0' }));
  expect(outcome.readable?.sizeBytes).toBe(0);
});

describe('an empty object, as MinIO tells of one in a 206 (rows 25 and 47)', () => {
  const suffix: FirstExtent = { kind: 'suffix', lengthBytes: 4 };
  const part: FirstExtent = { kind: 'part', partNumber: 1 };
  const nothing = { etag: emptyTag, 'content-length': '0' };
  const noRange = { 'content-range': 'bytes 0--1/0' };

  it.each<[string, FirstExtent, Record<string, string>]>([
    ['its last bytes', suffix, { ...nothing, ...noRange }],
    ['its first part', part, nothing],
  ])('%s', (_, asked, fields) => {
    const fetch = begin(asked);
    fetch.answered(head(206, fields));
    fetch.ended();
    expect(outcome.readable).toEqual({ entityTag: emptyTag, sizeBytes: 0, from: 0, to: 0 });
    expect(outcome.failed).toBeUndefined();
  });

  it.each([part, suffix])('but not with the tag of another content: it is not kept', asked => {
    begin(asked).answered(head(206, { ...nothing, etag: '"t"' }));
    expect(outcome.unkeepable?.status).toBe(206);
    expect(outcome.readable).toBeUndefined();
  });

  it.each<[string, FirstExtent, Record<string, string>]>([
    ['its first bytes, which it has none of', first, { ...nothing, ...noRange }],
    ['its second part, which it does not have', { kind: 'part', partNumber: 2 }, nothing],
    ['something of the suffix', suffix, { ...nothing, ...noRange, 'content-length': '4' }],
    ['nothing, of an unknown length', part, { etag: '"t"' }],
    ['nothing of an object that has something', suffix, { ...nothing, 'content-range': 'bytes 0--1/10' }],
    ['no tag', suffix, { 'content-length': '0', ...noRange }],
  ])('but not %s', (_, asked, fields) => {
    begin(asked).answered(head(206, fields));
    expect(outcome.failed).toBeInstanceOf(InvalidReplyError);
    expect(outcome.readable).toBeUndefined();
  });
});

describe('law 3: an answer that cannot be the one to this question is given up', () => {
  it.each<[string, FirstExtent | undefined, Record<string, string>]>([
    ['another range', first, { 'content-range': 'bytes 1-4/10', 'content-length': '4' }],
    ['a shorter range than there is', first, { 'content-range': 'bytes 0-2/10', 'content-length': '3' }],
    [
      'another length of the end',
      { kind: 'suffix', lengthBytes: 3 },
      { 'content-range': 'bytes 5-9/10', 'content-length': '5' },
    ],
    ['no range', first, { 'content-length': '4' }],
    ['another length', first, { 'content-range': 'bytes 0-3/10', 'content-length': '5' }],
    [
      'another suffix',
      { kind: 'suffix', lengthBytes: 4 },
      { 'content-range': 'bytes 5-8/10', 'content-length': '4' },
    ],
    [
      'a range where all was asked for',
      undefined,
      { 'content-range': 'bytes 0-9/10', 'content-length': '10' },
    ],
  ])('%s', (_, asked, fields) => {
    begin(asked).answered(head(206, { etag: '"t"', ...fields }));
    expect(outcome.failed).toBeInstanceOf(InvalidReplyError);
    expect(outcome.readable).toBeUndefined();
    expect(isAborted).toBe(true);
  });
});

it.each([201, 203, 204, 304])('a %i is no answer to a read: it is given up, whatever its body', status => {
  const fetch = begin(first);
  fetch.answered(head(status, { etag: '"t"', 'content-length': '4' }));
  expect(outcome.failed).toBeInstanceOf(InvalidReplyError);
  expect(outcome.readable ?? outcome.refused).toBeUndefined();
  expect(isAborted).toBe(true);
});

describe('what is not to be kept is given up', () => {
  it.each<[string, number, Record<string, string>]>([
    ['a weak tag', 206, { etag: 'W/"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }],
    ['no tag', 200, { 'content-length': '4' }],
    ['no length', 200, { etag: '"t"' }],
    ['an unknown total', 206, { etag: '"t"', 'content-range': 'bytes 0-3/*', 'content-length': '4' }],
    ['more than is kept', 206, { etag: '"t"', 'content-range': 'bytes 0-3/1001', 'content-length': '4' }],
    ['more than is kept, at once', 200, { etag: '"t"', 'content-length': '1001' }],
    [
      'a total beyond exact numbers',
      206,
      { etag: '"t"', 'content-range': 'bytes 0-3/9007199254740992', 'content-length': '4' },
    ],
    [
      'a place beyond exact numbers',
      206,
      {
        etag: '"t"',
        'content-range': 'bytes 18014398509481980-18014398509481983/18014398509481984',
        'content-length': '4',
      },
    ],
    ['a length beyond exact numbers', 200, { etag: '"t"', 'content-length': '9007199254740992' }],
    ['a length without end', 200, { etag: '"t"', 'content-length': '9'.repeat(400) }],
  ])('%s', (_, status, fields) => {
    begin(first).answered(head(status, fields));
    expect(outcome.unkeepable?.status).toBe(status);
    expect(outcome.readable ?? outcome.failed).toBeUndefined();
    expect(isAborted).toBe(true);
  });
});

it('bytes that nobody wants are given up, and an object without any has none to give up', () => {
  wantsBytes = false;
  begin(undefined).answered(head(200, { etag: '"t"', 'content-length': '0' }));
  expect(isAborted).toBe(false);
  begin(first).answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }));
  expect(isAborted).toBe(true);
});

it('a refusal is told with its body', () => {
  const fetch = begin(first);
  fetch.answered(head(404, {}));
  fetch.arrived(Buffer.from('<Error/>'));
  fetch.ended();
  expect(outcome.refused?.status).toBe(404);
  expect(outcome.refused?.body.toString()).toBe('<Error/>');
});

it('a connection that breaks is told once: before the head to who asked, afterwards to who takes the bytes', () => {
  const cut = new StoreError('BROKEN', 'cut', undefined);
  begin(first).failed(cut);
  expect(outcome.failed).toBe(cut);
  outcome = { bytes: '' };
  const fetch = begin(first);
  fetch.answered(head(206, { etag: '"t"', 'content-range': 'bytes 0-3/10', 'content-length': '4' }));
  fetch.failed(cut);
  expect(outcome.failed).toBeUndefined();
  expect(outcome.bodyEnd).toBe(cut);
});
