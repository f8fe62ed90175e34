import { expect, it } from 'vitest';
import { errorTtlWarnings } from '../../../src/config/error-ttl-warnings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const warningsOf = (type: string, cache: string, ofRule = '{ ttl: 1s }') => {
  const config = `
backends: { main: { type: ${type}, endpoint: "http://x"${type === 's3' ? ', credentials: none, keys: exact' : ''} } }
buckets: { b: { backend: main, access: public, cache: ${cache}, rules: [{ keys: ["/a"], cache: ${ofRule} }] } }
`;
  return Array.from(errorTtlWarnings(parseConfig(config, {})), ({ path, consequence }) => [
    path.join('.'),
    consequence,
  ]);
};

it.each([400, 403, 406, 422, 500, 503])('a %i is kept for negativeTtl at most', status => {
  const named = `ttlByStatus: { ${status}: 1m }`;
  const isCapped = expect.stringContaining(
    `a web origin's ${status} is kept for negativeTtl at most, which is 5s here`,
  );
  expect(warningsOf('http', `{ ${named} }`)).toEqual([[`buckets.b.cache.ttlByStatus.${status}`, isCapped]]);
  expect(warningsOf('http', '{}', `{ ${named} }`)).toEqual([
    [`buckets.b.rules.0.cache.ttlByStatus.${status}`, isCapped],
  ]);
  expect(warningsOf('http', `{ ${named}, negativeTtl: 1m }`)).toEqual([]);
  expect(warningsOf('http', `{ ttlByStatus: { ${status}: 5s } }`)).toEqual([]);
});

it('what tells of the target is kept as configured, and so is what stores say', () => {
  expect(warningsOf('http', '{ ttlByStatus: { 404: 1m, 302: 1m, 405: 1m } }')).toEqual([]);
  expect(warningsOf('s3', '{ ttlByStatus: { 404: 1m, 403: 1m, 405: 1m } }')).toEqual([]);
});
