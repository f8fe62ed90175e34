import { describe, expect, it } from 'vitest';
import { readReplyHead } from '../../../../src/backend/s3/reply-head.ts';

const read = (status: number, ...raw: string[]) => readReplyHead(status, raw, 'x-amz-');

describe('readReplyHead', () => {
  it('gives status and fields without dialect', () => {
    expect(read(206, 'ETag', '"a"', 'x-amz-version-id', 'v', 'Content-Length', '12')).toEqual({
      status: 206,
      fields: [
        { name: 'etag', value: '"a"', store: false },
        { name: 'version-id', value: 'v', store: true },
        { name: 'content-length', value: '12', store: false },
      ],
    });
  });

  it.each([0, 99, 100, 101, 199, 600, 999, Number.NaN, -1, 200.5])('takes %d for no status', status => {
    expect(read(status)).toContain('status');
  });

  it.each([
    ['a line feed', 'x-a', 'b\nc'],
    ['a carriage return', 'x-a', 'b\rc'],
    ['a NUL', 'x-a', '\0'],
    ['a control character', 'x-a', '\u0001'],
    ['DEL', 'x-a', '\u007f'],
    ['more than Latin-1', 'x-a', '\u0100'],
    ['a space in its name', 'x a', 'b'],
    ['no name', '', 'b'],
  ])('refuses a header with %s', (_, name, value) => {
    expect(read(200, name, value)).toBe('an invalid header field');
  });

  it('gives on values of any Latin-1', () => {
    expect(read(200, 'x-a', '\t \u00ff')).toMatchObject({ status: 200 });
  });

  it.each(['', '-1', '1e3', '0x10', 'NaN', '1, 2', '9007199254740992', '1.5', '+1'])(
    'takes %j for no length',
    length => {
      expect(read(200, 'content-length', length)).toBe('an invalid content-length');
    },
  );

  it.each(['ETag', 'Content-Range', 'Content-Length', 'Last-Modified', 'Content-Type'])(
    'refuses two of %s that differ',
    name => {
      expect(read(200, name, '1', name.toLowerCase(), '2')).toBe(`more than one ${name.toLowerCase()}`);
    },
  );

  it('takes one that is repeated as it is once (RFC 9110 §8.6)', () => {
    const length = { name: 'content-length', value: '5', store: false };
    expect(read(200, 'Content-Length', '5', 'content-length', '5')).toEqual({
      status: 200,
      fields: [length],
    });
  });

  it('takes several of a list, and of what the store names the same way', () => {
    expect(read(200, 'Vary', 'a', 'Vary', 'b', 'x-amz-etag', 'c', 'etag', 'd')).toMatchObject({
      status: 200,
    });
  });
});
