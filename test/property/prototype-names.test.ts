import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isNoticeName } from '../../src/alerts/rules/notice-table.ts';
import { describeRule } from '../../src/alerts/rules/rule-description.ts';
import { isRuleName } from '../../src/alerts/rules/rule-table.ts';
import { parseSizeBytes } from '../../src/config/units.ts';
import { anonymous } from '../../src/gateway/request/access.ts';
import { BucketTable } from '../../src/gateway/request/bucket-table.ts';
import { grantPolicy } from '../../src/gateway/request/grant-policy.ts';
import { detectOperation } from '../../src/s3/operation.ts';
import { readParameters } from '../../src/s3/read-parameters.ts';
import { RequestFields } from '../../src/s3/request-fields.ts';
import { clientCalled } from '../support/callers.ts';
import { bucketOf } from '../support/object-reads.ts';

/** What every object answers to without having been given it. */
const names = fc.constantFrom(
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
);

const holds = (property: (name: string) => void) => fc.assert(fc.property(names, property), { numRuns: 300 });
const address = { kind: 'object', bucket: 'b', key: 'k', rawPath: 'k', query: '' } as const;

it('no bucket, caller or grant is known by a name that every object has', () => {
  const table = new BucketTable(new Map([['b', bucketOf()]]), undefined);
  const policy = grantPolicy({ b: [{ actions: ['GetObject'], keys: ['k'] }] }, []);
  holds(name => {
    expect(table.find(name)).toBeUndefined();
    expect(policy.allows(anonymous, name, 'GetObject', 'k')).toBe(false);
    expect(policy.allows(anonymous, 'b', name, 'k')).toBe(false);
    expect(policy.allows(clientCalled(name), 'b', 'PutObject', 'k')).toBe(false);
  });
});

it('no field, parameter or operation is one that every object has', () => {
  holds(name => {
    const fields = new RequestFields([name, 'x', `x-amz-${name}`, 'y', 'Host', 'h']);
    expect({ ...fields, store: undefined }).toEqual({
      ...new RequestFields(['Host', 'h', 'x-amz-other', 'y']),
      store: undefined,
    });
    expect([...(fields.store ?? [])]).toEqual([[name.toLowerCase(), 'y']]);
    const query = [{ name, value: '1' }];
    const asked = { storeFields: fields.store, range: undefined, isSigned: true, takesCustomerKeys: false };
    expect(readParameters({ ...asked, query })).toEqual(readParameters({ ...asked, query: [] }));
    expect(
      detectOperation('GET', address, [{ name, value: '' }], {
        contentType: undefined,
        copySource: undefined,
      }),
    ).toBe('Unknown');
    expect(() =>
      detectOperation(name, address, [], { contentType: undefined, copySource: undefined }),
    ).toThrow(expect.objectContaining({ code: 'MethodNotAllowed' }));
  });
});

it('no rule and no unit is called what every object has', () => {
  holds(name => {
    expect([isRuleName(name), isNoticeName(name)]).toEqual([false, false]);
    expect(describeRule(name)).toEqual({ title: name, advice: '' });
    expect(parseSizeBytes(`5${name}`)).toBeUndefined();
  });
});
