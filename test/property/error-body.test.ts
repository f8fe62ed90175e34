import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorBody, parseErrorBody } from '../../src/s3/error-body.ts';

const carried = fc.string({ unit: 'binary' }).map(text => text.replace(/[^\t\n\r\u0020-\ufffd]/g, ''));

it('what an error body says is what is read from it', () => {
  fc.assert(
    fc.property(carried, carried, (message, key) => {
      const body = errorBody({
        code: 'NoSuchKey',
        message,
        fields: [['Key', key]],
        requestId: 'r',
        hostId: 'h',
      });
      expect(parseErrorBody(body)).toEqual({ code: 'NoSuchKey', message, fields: [['Key', key]] });
    }),
  );
});

it('any text gives a body that can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), key => {
      const body = errorBody({
        code: 'X',
        message: key,
        fields: [['Key', key]],
        requestId: 'r',
        hostId: 'h',
      });
      expect(parseErrorBody(body)?.code).toBe('X');
    }),
  );
});
