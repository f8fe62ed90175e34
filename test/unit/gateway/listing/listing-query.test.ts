import { expect, it } from 'vitest';
import { listingQuery } from '../../../../src/gateway/listing/listing-query.ts';

it('goes to the store as it was sent where keys are the same there', () => {
  expect(listingQuery('list-type=2&prefix=a+b%2F&max-keys=5', '')).toBe(
    'list-type=2&prefix=a+b%2F&max-keys=5',
  );
});

it.each([
  ['list-type=2', 'list-type=2&prefix=team%2F'],
  ['list-type=2&prefix=', 'list-type=2&prefix=team%2F'],
  ['prefix=a+b%2F&start-after=a+b%2Fc', 'prefix=team%2Fa%20b%2F&start-after=team%2Fa%20b%2Fc'],
  ['marker=&max-keys=2', 'marker=&max-keys=2&prefix=team%2F'],
  ['versions&key-marker=a', 'versions=&key-marker=team%2Fa&prefix=team%2F'],
  ['continuation-token=team%2F', 'continuation-token=team%2F&prefix=team%2F'],
])('%s asks below the prefix of the bucket: %s', (query, asked) => {
  expect(listingQuery(query, 'team/')).toBe(asked);
});
