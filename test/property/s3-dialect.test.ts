import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detectDialect, fieldsFromRaw, type HeaderPrefix, rawFromFields } from '../../src/s3/dialect.ts';
import { S3Error } from '../../src/s3/error.ts';
import { parseQuery } from '../../src/s3/query.ts';
import { readParameters } from '../../src/s3/read-parameters.ts';

const prefix = fc.constantFrom<HeaderPrefix>('x-amz-', 'x-store-');

/** Names of fields without prefix, those that are treated apart often enough. */
const bareFieldName = fc.oneof(
  fc.constantFrom('server-side-encryption', 'trailer', 'meta-a', 'vary', 'access-control-expose-headers'),
  fc.stringMatching(/^[a-w][a-z-]{0,20}$/),
);

const bareValue = fc.oneof(
  fc.constantFrom('AES256', '@kms', '@kms:dsse', 'ETag, #request-id, Origin'),
  fc.stringMatching(/^[ -~]{0,20}$/).filter(value => !/[@#]|x-|kms/i.test(value)),
);

/** The same header lines in the words of either dialect. */
function linesIn(spoken: HeaderPrefix, fields: readonly { name: string; store: boolean; value: string }[]) {
  const service = spoken === 'x-amz-' ? 'aws:' : 'store:';
  return fields.flatMap(({ name, store, value }) => [
    store ? spoken + name : name,
    name === 'server-side-encryption' && store
      ? value.replace('@', service).replace('#', '')
      : value.replace('@', '').replace('#', isList(name, store) ? spoken : ''),
  ]);
}

function isList(name: string, store: boolean): boolean {
  return name === 'trailer' || (!store && ['vary', 'access-control-expose-headers'].includes(name));
}

it('Headers of one dialect come out as the same headers of the other', () => {
  const fields = fc.array(fc.record({ name: bareFieldName, store: fc.boolean(), value: bareValue }));
  fc.assert(
    fc.property(fields, prefix, prefix, (given, from, to) => {
      expect(rawFromFields(fieldsFromRaw(linesIn(from, given), from), to)).toEqual(linesIn(to, given));
    }),
  );
});

it('No line of one dialect comes out in the other when that one is not spoken', () => {
  const lines = fc.array(fc.tuple(fc.constantFrom('x-amz-a', 'X-Store-b', 'etag'), fc.constant('v')));
  fc.assert(
    fc.property(lines, prefix, prefix, (given, spoken, to) => {
      const own = given.filter(([name]) => /^etag$/.test(name) || name.toLowerCase().startsWith(spoken));
      const raw = rawFromFields(fieldsFromRaw(given.flat(), spoken), to);
      expect(raw.length).toBe(2 * own.length);
      expect(raw.every(text => text === 'v' || text === 'etag' || text.startsWith(to))).toBe(true);
    }),
  );
});

it('The dialect is told of any lines and query whatever', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (raw, rawQuery) => {
      expect([undefined, 'x-amz-', 'x-store-']).toContain(detectDialect(raw, rawQuery));
    }),
  );
});

it('Whatever a read asks for is read or refused with an error of the protocol', () => {
  const parameter = fc.constantFrom('versionId', 'partNumber', 'response-expires', 'x-amz-checksum-mode');
  const field = fc.constantFrom(
    'checksum-mode',
    'request-payer',
    'expected-bucket-owner',
    'server-side-encryption-customer-algorithm',
    'server-side-encryption-customer-key',
    'server-side-encryption-customer-key-md5',
  );
  const text = fc.oneof(fc.constantFrom('', '1', 'ENABLED', 'AES256'), fc.string());
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          parameter,
          text.filter(value => value.isWellFormed()),
        ),
      ),
      fc.array(fc.tuple(field, text)),
      fc.boolean(),
      (parameters, fields, isSigned) => {
        const query = parseQuery(parameters.map(pair => pair.map(encodeURIComponent).join('=')).join('&'));
        const request = {
          query,
          storeFields: new Map(fields),
          range: undefined,
          isSigned,
          takesCustomerKeys: true,
        };
        try {
          const { partNumber, versionId, overrides } = readParameters(request);
          expect(partNumber === undefined || (partNumber >= 1 && partNumber <= 10_000)).toBe(true);
          expect(versionId).not.toBe('');
          expect(overrides.every(([, value]) => /^[\t\u0020-\u007e\u0080-\u00ff]+$/.test(value))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(S3Error);
        }
      },
    ),
  );
});
