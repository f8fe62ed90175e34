import { expect, it } from 'vitest';
import { describeRecord, describeVariant } from '../../../../src/admin/objects/page/describe-record.js';

const fresh = {
  ...{
    name: '',
    kind: 'readable' as const,
    status: 200,
    sizeBytes: 100,
    ageS: 5,
    ttlS: 55,
    isOutdated: false,
  },
  memory: { blocks: 1, bytes: 100 },
};

it.each([
  [{}, 'fresh', 'Fresh for 55 s more: reads are answered from the cache.'],
  [{ memory: { blocks: 0, bytes: 0 } }, 'fresh', 'Bytes that are not held come from the store'],
  [{ ttlS: 0 }, 'stale', 'asks the store whether it has changed'],
  [{ isOutdated: true }, 'stale', 'an event of the store, has told of a change'],
  [{ kind: 'uncacheable' as const }, 'uncacheable', 'Each read goes to the store'],
  [{ kind: 'refused' as const, status: 404 }, 'fresh', '404: it does not exist'],
  [{ kind: 'refused' as const, status: 403, ttlS: 0 }, 'stale', 'The next read asks the store again'],
])('a record with %j is %s', (changes, state, text) => {
  const described = describeRecord({ ...fresh, ...changes });
  expect(described.state).toBe(state);
  expect(described.text).toContain(text);
});

it('a variant is told by its fields, and by digests of what may be secret', () => {
  const fields = [
    { name: 'accept-encoding', value: 'gzip' },
    { name: 'cookie', digest: '0a1b' },
  ];
  expect(describeVariant([...fields, { name: 'origin', value: null }, { name: 'x-long' }])).toBe(
    'accept-encoding gzip, cookie (digest 0a1b), no origin, x-long (not kept)',
  );
  expect(describeVariant([])).toBe('');
});
