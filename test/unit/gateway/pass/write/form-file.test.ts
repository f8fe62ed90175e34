import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FormFile } from '../../../../../src/gateway/pass/write/form-file.ts';
import { S3Error } from '../../../../../src/s3/error.ts';
import { endOf } from '../../../../../src/s3/form-head.ts';

const boundary = 'edge';
const end = endOf(boundary).toString();
const none = { signing: undefined, sha256: undefined, md5: undefined, checksum: undefined };

/** What the store gets of a form that begins with its file, before and after the end, or the code of the error. */
function convert(pieces: readonly string[], lengthBytes = pieces.join('').length - end.length) {
  let passed = '';
  const declared = { lengthBytes, coding: 'none' as const, ...none };
  const file = new FormFile({ declared, boundary, prefix: 'x-amz-' }, bytes => {
    passed += bytes.toString();
  });
  try {
    for (const piece of pieces) file.take(Buffer.from(piece));
    const before = passed;
    file.end();
    return { before, passed };
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return { before: passed, code: error.code };
  }
}

/** The pieces of `text` between the places where it is cut. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((to, index) => text.slice(at[index], to));
}

it('the file is what stands before the end of the form, and its last bytes are held back until that has come', () => {
  const content = 'a file, with \r\n--ed and --edge in it';
  fc.assert(
    fc.property(fc.array(fc.nat(content.length + end.length), { maxLength: 8 }), places => {
      const { before, passed } = convert(cut(content + end, places));
      expect(passed).toBe(content);
      expect(before.length).toBeLessThan(content.length);
    }),
  );
});

it.each([
  ['another field stands behind the file', `file\r\n--${boundary}\r\n\r\nmore${end}`, undefined],
  ['something stands behind the form', `file${end}more`, 4],
  ['the form ends otherwise', `file${end.replace('--\r\n', '++\r\n')}`, undefined],
  ['it is not closed', `file${end.slice(0, -4)}`, 4],
  ['it breaks off in the file', 'fi', 4],
])('a form is refused, and the store gets no end of the file, when %s', (_, form, lengthBytes) => {
  fc.assert(
    fc.property(fc.array(fc.nat(form.length), { maxLength: 6 }), places => {
      const { before, code } = convert(cut(form, places), lengthBytes);
      expect(code).toBe('MalformedPOSTRequest');
      expect(before.length).toBeLessThan(lengthBytes ?? form.length - end.length);
    }),
  );
});
