import { beforeEach, describe, expect, it } from 'vitest';
import type { StoreReplyHead, WholeReply } from '../../../../../src/backend/store.ts';
import { InvalidReplyError } from '../../../../../src/gateway/fill/fill-error.ts';
import { ResultAnswer } from '../../../../../src/gateway/pass/write/result-answer.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const streamed: StoreReplyHead = { status: 200, fields: [] };
const withLength = (length: number): StoreReplyHead => ({
  status: 200,
  fields: [{ name: 'content-length', value: String(length), store: false }],
});
let heard: string[];
/** What the document was asked to be written from. */
let roots: string[];
let answer: ResultAnswer;

beforeEach(() => {
  heard = [];
  roots = [];
  answer = answerWith(({ body }) => Buffer.from(`${declaration}\n<new>${body.toString().length}</new>`));
});

function answerWith(write: (reply: WholeReply) => Buffer): ResultAnswer {
  const lengthOf = ({ fields }: StoreReplyHead) => fields.map(({ value }) => value).join();
  const receiver = {
    answered: (head: StoreReplyHead) => heard.push(`${head.status} ${lengthOf(head)}`.trim()),
    arrived: (chunk: Buffer) => heard.push(chunk.toString()),
    ended: () => heard.push('ended'),
    failed: (error: unknown) => heard.push(`failed: ${error}`),
  };
  return new ResultAnswer(receiver, {
    write: reply => {
      roots.push(reply.body.toString());
      return write(reply);
    },
    refused: error => {
      heard.push('cut');
      receiver.failed(error);
    },
  });
}

const arrive = (text: string) => answer.arrived(Buffer.from(text));

it.each([201, 202, 206, 299])('a result is not taken from an answer of status %i', status => {
  answer.answered({ status, fields: [] });
  arrive('<old/>');
  answer.ended();
  expect(heard).toEqual([
    'cut',
    `failed: Error: the store's answer does not fit the request: a result has the status ${status}`,
  ]);
});

it.each([204, 301, 404, 503])('an answer of status %i, which has no result, is passed on', status => {
  answer.answered({ status, fields: [] });
  answer.ended();
  expect(heard).toEqual([String(status), 'ended']);
});

describe('a store that keeps its client waiting', () => {
  it('is passed on as it comes: head, declaration and white space', () => {
    answer.answered(streamed);
    expect(heard).toEqual(['200']);
    arrive('<?xml vers');
    expect(heard).toEqual(['200']);
    arrive('ion="1.0" encoding="UTF-8"?>\n');
    expect(heard).toEqual(['200', `${declaration}\n`]);
    for (const space of [' ', '\n', ' \t\r\n']) {
      arrive(space);
      expect(heard.at(-1)).toBe(space);
    }
  });

  it('has its root element rewritten at the end, without a second declaration', () => {
    answer.answered(streamed);
    arrive(`${declaration} `);
    arrive('<Old>');
    arrive(' </Old>\n');
    expect(heard).toEqual(['200', `${declaration} `]);
    answer.ended();
    expect(roots).toEqual(['<Old> </Old>\n']);
    expect(heard.slice(2)).toEqual(['<new>13</new>', 'ended']);
  });

  it.each([
    '<?xml version="1.0" at="name"?>',
    '<?xml version="1.0" encoding="name"?>',
    '<?xml name?>',
    `${declaration}<?xml version="1.0" at="name"?>`,
  ])('is passed on without a declaration that may name anything: %s', text => {
    answer.answered(streamed);
    arrive(`${text}<Old/>`);
    answer.ended();
    expect(roots).toHaveLength(1);
    expect(heard.join()).not.toContain('name');
  });

  it('may break off', () => {
    answer.answered(streamed);
    arrive(' ');
    answer.failed(new Error('broken'));
    expect(heard).toEqual(['200', ' ', 'failed: Error: broken']);
  });
});

it('a length that the store tells is that of the new document', () => {
  const document = `${declaration}<Old/>`;
  answer.answered(withLength(document.length));
  arrive(document);
  expect(heard).toEqual([]);
  answer.ended();
  const written = `${declaration}<new>6</new>`;
  expect(heard).toEqual([`200 ${written.length}`, written, 'ended']);
});

it('an instruction before the root element is not passed on', () => {
  answer.answered(streamed);
  arrive(`${declaration}<?note acme-7?>`);
  arrive('<Old/>');
  answer.ended();
  expect(heard).toEqual(['200', declaration, '<new>21</new>', 'ended']);
});

it('an empty answer stays empty', () => {
  answer.answered(withLength(0));
  answer.ended();
  expect(heard).toEqual(['200 0', 'ended']);
  expect(roots).toEqual([]);
});

it('other answers are not touched', () => {
  answer.answered({ status: 404, fields: [] });
  arrive('<Error/>');
  answer.ended();
  expect(heard).toEqual(['404', '<Error/>', 'ended']);
});

it('a document that cannot be used fails, and nothing of it is passed on', () => {
  answer = answerWith(() => {
    throw new InvalidReplyError('no result');
  });
  answer.answered(streamed);
  arrive('<html>');
  answer.ended();
  expect(heard).toEqual(['200', 'cut', expect.stringContaining('no result')]);
});

it('a document that goes on and on is cut off', () => {
  answer.answered(streamed);
  arrive('<Old>');
  for (let index = 0; index < 100; index++) arrive('x'.repeat(1_000));
  answer.ended();
  expect(heard).toEqual(['200', 'cut', expect.stringContaining('too long')]);
});

it('white space may go on for any time, and none of it is kept', () => {
  answer.answered(streamed);
  for (let index = 0; index < 200; index++) arrive(' '.repeat(1_000));
  expect(heard).toHaveLength(201);
  arrive('<Old/>');
  answer.ended();
  expect(heard.at(-1)).toBe('ended');
});
