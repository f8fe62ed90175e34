import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

interface Parts {
  readonly backend?: string;
  readonly bucket?: string;
  readonly name?: string;
  readonly grant?: string;
}

/** The problems of a configuration with one bucket, one line each. */
function problems({ backend = '', bucket = '', name = 'photos', grant }: Parts): readonly string[] {
  const clients =
    grant && `clients: [{ accessKeyId: a, secretAccessKey: b, allow: [{ ${grant}, actions: ["*"] }] }]`;
  try {
    parseConfig(
      `backends: { main: { type: s3, endpoint: "http://x"${backend} } }
buckets: { "${name}": { backend: main, access: public${bucket} } }
${clients ?? ''}`,
      {},
    );
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const restrictions: readonly (readonly [string, Parts])[] = [
  ['buckets.photos.keyPrefix', { bucket: ', keyPrefix: tenantA/' }],
  [
    'buckets.photos.anonymous',
    { bucket: ', anonymous: [{ actions: [GetObject], keys: ["**", "!private/**"] }]' },
  ],
  ['buckets.photos.anonymous', { bucket: ', anonymous: [{ actions: [GetObject], keys: ["public/**"] }]' }],
  ['clients[0].allow', { grant: 'buckets: [photos], keys: ["a/**"]' }],
  ['clients[0].allow', { grant: 'buckets: ["*"], keys: ["a/**"]' }],
  ['clients[0].allow', { name: '*', grant: 'buckets: [others], keys: ["a/**"]' }],
];

describe('a backend whose keys are restricted', () => {
  it.each(restrictions)('by %s has to say how it tells keys apart', (where, parts) => {
    expect(problems(parts)).toEqual([
      expect.stringMatching(
        /^backends\.main\.keys is missing; expected .*exact .*path .*tidegate check --connect/,
      ),
    ]);
    expect(problems(parts)[0]).toContain(`since ${where} restricts keys`);
    for (const kind of ['exact', 'path'])
      expect(problems({ ...parts, backend: `, keys: ${kind}` })).toEqual([]);
  });

  it.each<Parts>([
    {},
    { bucket: ', anonymous: []' },
    { bucket: ', keyPrefix: ""' },
    { bucket: ', rules: [{ keys: ["static/**"], cache: { ttl: 1d } }]' },
    { grant: 'buckets: [photos]' },
    { grant: 'buckets: [photos], keys: ["**"]' },
  ])('has nothing to say without a restriction: %j', parts => {
    expect(problems(parts)).toEqual([]);
  });

  it('says one of two things', () => {
    expect(problems({ backend: ', keys: maybe' })).toEqual([
      'backends.main.keys holds "maybe"; expected exact, path',
    ]);
  });

  it('has a plain prefix where keys are paths', () => {
    const parts = { backend: ', keys: path', bucket: ', keyPrefix: a/../b/' };
    expect(problems(parts)).toEqual([expect.stringContaining('buckets.photos.keyPrefix holds "a/../b/"')]);
    expect(problems({ ...parts, backend: ', keys: exact' })).toEqual([]);
  });
});
