import { describe, expect, it } from 'vitest';
import { type BodyEnd, BodyFraming } from '../../../src/transport/body-framing.ts';

const chunked: BodyEnd = { kind: 'chunked' };

/** What is known of `text`, which comes in pieces of `pieceBytes`. */
function followed(
  end: BodyEnd,
  text: string,
  pieceBytes = text.length,
): [certain: string, dataBytes: number] {
  const framing = BodyFraming.of(end);
  let [lengthBytes, dataBytes] = [0, 0];
  for (let at = 0; at < text.length && !framing.isUnknown; at += pieceBytes) {
    const known = framing.follow(Buffer.from(text.slice(at, at + pieceBytes)));
    lengthBytes += known.lengthBytes;
    dataBytes += known.dataBytes;
  }
  return [text.slice(0, lengthBytes), dataBytes];
}

describe('BodyFraming', () => {
  it.each([1, 2, 3, 100])('follows data and plain sizes of chunks in pieces of %i', pieceBytes => {
    const body = '5\r\nhello\r\n00A\r\n0123\r\n\r\n89\r\n';
    expect(followed(chunked, body, pieceBytes)).toEqual([body, 15]);
  });

  it.each([
    ['the trailers', '3\r\nabc\r\n0\r', '\na: b\r\n\r\n', 3],
    ['an extension', '3\r\nabc\r\n4', ';a=b\r\nabcd\r\n0\r\n\r\n', 3],
    ['a space behind a size', '3', ' \r\nabc\r\n', 0],
    ['a size without digits', '', '\r\nabc', 0],
    ['a line that ends with LF alone', '3', '\nabc\r\n', 0],
    ['a CR without LF', '3\r', 'abc', 0],
    ['data that is longer than its size', '3\r\nabc', 'd\r\n', 3],
    ['an end of a chunk without LF', '3\r\nabc\r', '3\r\n', 3],
    ['a size of more than 13 digits', '0000000000003', '3\r\nabc', 0],
    ['what is no digit', '', 'xyz', 0],
    ['what looks like a digit', '', 'g\r\n', 0],
  ])('follows chunks up to %s', (_what, certain, rest, dataBytes) => {
    for (const pieceBytes of [1, 2, 5, 100])
      expect(followed(chunked, certain + rest, pieceBytes)).toEqual([certain, dataBytes]);
  });

  it('follows a body of known length to its end', () => {
    expect(followed({ kind: 'length', lengthBytes: 5 }, 'helloHTTP/1.1', 2)).toEqual(['hello', 5]);
    expect(followed({ kind: 'length', lengthBytes: 0 }, 'HTTP/1.1')).toEqual(['', 0]);
  });

  it('follows a body that ends with its connection for ever', () => {
    expect(followed({ kind: 'close' }, 'hello\r\n\r\n', 2)).toEqual(['hello\r\n\r\n', 9]);
  });

  it('goes on from a copy as from the place where it was made', () => {
    const framing = BodyFraming.of(chunked);
    framing.follow(Buffer.from('3\r\nabc\r\n1'));
    const copy = framing.copy();
    const rest = Buffer.from(`0\r\n${'x'.repeat(16)}\r\n`);
    expect(framing.follow(rest)).toEqual({ lengthBytes: rest.length, dataBytes: 16 });
    expect(copy.follow(rest)).toEqual({ lengthBytes: rest.length, dataBytes: 16 });
  });

  it('knows nothing of chunks any more when data has come that was not followed', () => {
    const framing = BodyFraming.of(chunked);
    framing.skip(3);
    expect(framing.isUnknown).toBe(true);
    const ofLength = BodyFraming.of({ kind: 'length', lengthBytes: 5 });
    ofLength.skip(3);
    expect(ofLength.follow(Buffer.from('lo, and more'))).toEqual({ lengthBytes: 2, dataBytes: 2 });
  });
});
