import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRecordName } from '../../../../src/admin/objects/page/record-name.js';
import { getRecordName, recordName } from '../../../../src/cache/record.ts';

const text = fc.option(fc.string({ maxLength: 40, unit: 'grapheme' }), { nil: undefined });
const variant = fc.record({ origin: text, expectedBucketOwner: text, requestPayer: text });

it('reads what the cache names records by', () => {
  fc.assert(
    fc.property(text, variant, fc.constantFrom('GET', 'HEAD'), (versionId, asked, method) => {
      const name = recordName(versionId, asked, method);
      const given = Object.entries({ ...asked, versionId }).filter(([, value]) => value !== undefined);
      const methodOf = asked.origin === undefined ? {} : { method };
      expect(readRecordName(name)).toEqual({ ...Object.fromEntries(given), ...methodOf });
      expect(readRecordName(getRecordName(name))).toEqual({ ...Object.fromEntries(given), method: 'GET' });
    }),
  );
});

it('shows long texts as such, and what comes behind them', () => {
  const name = recordName(
    'v'.repeat(600),
    { origin: 'o', expectedBucketOwner: undefined, requestPayer: 'requester' },
    'GET',
  );
  expect(readRecordName(name)).toEqual({
    ...{ versionId: '(a long text)', method: 'GET', origin: 'o', requestPayer: 'requester' },
  });
});
