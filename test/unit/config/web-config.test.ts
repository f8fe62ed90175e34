import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile, parseConfig } from '../../../src/config/load-config.ts';

const backends =
  'backends: { web: { type: http, endpoint: "http://w" }, main: { type: s3, endpoint: "http://s" } }';

function problemsOf(buckets: string, more = ''): string[] {
  try {
    parseConfig(`${backends}\nbuckets: ${buckets}\n${more}`, {});
    return [];
  } catch (error) {
    return String(error).split('\n').slice(1);
  }
}

describe('a bucket at a web origin', () => {
  it('is fresh for a tenth of the time since its last change where nothing says for how long, unless it says otherwise', () => {
    const { buckets } = parseConfig(
      `${backends}\nbuckets: { a: { backend: web, access: public, rules: [{ keys: ["x/**"], cache: { ttl: 1m } }] }, ` +
        'b: { backend: web, access: public, cache: { ttl: 5s, heuristicShare: 0 } }, c: { backend: main, access: public } }',
      {},
    );
    expect(buckets.a?.cache).toMatchObject({ ttlMs: 0, heuristicShare: 0.1, maxTtlMs: 86_400_000 });
    expect(buckets.a?.cache).toMatchObject({ maxStaleMs: 86_400_000, clientDirectives: 'honour' });
    expect(buckets.b?.cache).toMatchObject({ ttlMs: 5_000, heuristicShare: 0 });
    expect(buckets.c?.cache).toMatchObject({ ttlMs: 60_000, heuristicShare: 0 });
  });

  it.each([
    ['cache: { ttl: 5s }', [0, 0, 0, 0.2]],
    ['cache: { maxStale: 5s }', [0.1, 0, 0.1, 0.2]],
    ['cache: { ttl: 5s, heuristicShare: 0.3 }', [0.3, 0.3, 0.3, 0.2]],
    ['cache: { heuristicShare: 0.3 }', [0.3, 0.3, 0.3, 0.2]],
  ])(
    'guesses nothing for what somebody has written a ttl for, unless a share is written: %s',
    (cache, shares) => {
      const rules =
        '{ keys: ["/a"], cache: { ttl: 1d } }, { keys: ["/b"], cache: { mode: revalidate } }, ' +
        '{ keys: ["/c"], cache: { ttl: 1d, heuristicShare: 0.2 } }, { keys: ["/d"], compress: false }';
      const bucket = `{ backend: web, access: public, ${cache}, rules: [${rules}] }`;
      const { a } = parseConfig(`${backends}\nbuckets: { a: ${bucket} }`, {}).buckets;
      expect(
        [a?.cache, ...(a?.rules.flatMap(rule => rule.cache ?? []) ?? [])].map(each => each?.heuristicShare),
      ).toEqual(shares);
    },
  );

  it.each([
    '{ "/": { backend: web, access: public } }',
    '{ site: { backend: web, access: public, keyPrefix: /docs, query: { names: [a], sorted: true }, setCookie: store } }',
    '{ site: { backend: web, access: public }, photos: { backend: main, access: public } }',
    '{ site: { backend: web, access: public, website: { index: index.htm, error: errors/404.html } } }',
    '{ site: { backend: web, access: public, languages: [de, pt-BR], rules: [{ keys: ["/a"], languages: [] }] } }',
    '{ site: { backend: web, access: public, languages: [de], rules: [{ keys: ["/a"], requestHeaders: { remove: [accept-language] } }] } }',
  ])('is taken: %s', buckets => {
    expect(problemsOf(buckets)).toEqual([]);
  });

  it.each([
    ['{ "/": { backend: main, access: public } }', 'buckets."/" holds a map'],
    [
      '{ "/": { backend: web, access: public }, a: { backend: web, access: public } }',
      'buckets."/" holds a map',
    ],
    ['{ "*": { backend: web, access: public } }', 'buckets."*".backend holds "web"'],
    ['{ a: { backend: web, access: verify } }', 'buckets.a.access holds "verify"'],
    ['{ a: { backend: web, access: public, bucket: b } }', 'buckets.a.bucket holds "b"'],
    ['{ a: { backend: web, access: public, keyPrefix: docs/ } }', 'buckets.a.keyPrefix holds "docs/"'],
    [
      '{ a: { backend: web, access: public, keyPrefix: /docs/../x } }',
      'buckets.a.keyPrefix holds "/docs/../x"',
    ],
    ['{ a: { backend: web, access: public, website: { error: "404 x.html" } } }', 'buckets.a.website holds'],
    ['{ a: { backend: web, access: public, website: { index: "x?y" } } }', 'buckets.a.website holds'],
    ['{ a: { backend: web, access: public, website: { error: ../x } } }', 'buckets.a.website holds'],
    ['{ a: { backend: web, access: public, anonymous: [] } }', 'buckets.a.anonymous holds'],
    [
      '{ a: { backend: web, access: public, anonymous: [{ actions: [GetObject] }] } }',
      'buckets.a.anonymous holds',
    ],
    ['{ a: { backend: main, access: public, query: { names: none } } }', 'buckets.a.query holds'],
    ['{ a: { backend: main, access: public, setCookie: store } }', 'buckets.a.setCookie holds "store"'],
    ['{ a: { backend: main, access: public, languages: [de] } }', 'buckets.a.languages holds a list of 1'],
    [
      '{ a: { backend: main, access: public, rules: [{ keys: ["**"], languages: [] }] } }',
      'buckets.a.rules[0].languages holds a list of 0; expected nothing, since the backend is no web origin',
    ],
    [
      '{ a: { backend: web, access: public, rules: [{ keys: ["/a"], languages: [de], requestHeaders: { remove: [Accept-Language] } }] } }',
      'buckets.a.rules[0].languages holds a list of 1; expected nothing, since requestHeaders of this rule',
    ],
    [
      '{ a: { backend: web, access: public, rules: [{ keys: ["/a"], languages: [de], requestHeaders: { set: { Accept-Language: de } } }] } }',
      'buckets.a.rules[0].languages holds a list of 1; expected nothing, since requestHeaders of this rule',
    ],
    ['{ a: { backend: web, access: public, languages: [de_AT] } }', 'buckets.a.languages[0] holds "de_AT"'],
    ['{ a: { backend: web, access: public, languages: ["*"] } }', 'buckets.a.languages[0] holds "*"'],
    [
      '{ a: { backend: web, access: public, languages: [de, en, DE] } }',
      'buckets.a.languages holds a list of 3; expected each language tag once',
    ],
    [
      '{ a: { backend: main, access: public, cache: { ttlByStatus: { 404: 1s, 302: 1s } } } }',
      'buckets.a.cache.ttlByStatus.302 holds "1s"; expected nothing, since of a store\'s answers only 200, 403, 404, 405 are kept',
    ],
    [
      '{ a: { backend: main, access: public, rules: [{ keys: ["**"], cache: { ttlByStatus: { 400: 1s } } }] } }',
      'buckets.a.rules[0].cache.ttlByStatus.400 holds "1s"; expected nothing, since of a store\'s answers',
    ],
    [
      '{ a: { backend: main, access: public, cache: { ttlByStatus: { 302: 1s } }, rules: [{ keys: ["**"], cache: { ttl: 2s } }] } }',
      'buckets.a.cache.ttlByStatus.302 holds "1s"; expected nothing, since of a store\'s answers',
    ],
  ])('is refused where it means nothing: %s', (buckets, expected) => {
    expect(problemsOf(buckets)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([304, 401, 407, 412, 416, 429, 431])('never has %i kept', status => {
    expect(
      problemsOf(`{ a: { backend: web, access: public, cache: { ttlByStatus: { ${status}: 1s } } } }`),
    ).toEqual([
      expect.stringContaining(`buckets.a.cache.ttlByStatus.${status} is not a name that can stand`),
    ]);
  });

  it.each([400, 403, 406, 422])('may have %i kept, in a bucket or a rule', status => {
    const cache = `cache: { ttlByStatus: { ${status}: 1s } }`;
    expect(
      problemsOf(`{ a: { backend: web, access: public, ${cache}, rules: [{ keys: ["/a"], ${cache} }] } }`),
    ).toEqual([]);
  });

  it('has paths for keys in its rules, which begin with a slash', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'rules-')), 'a.yaml');
    const rules = '[{ keys: ["/a/**", "b", "**.js"], cache: { ttl: 1s } }]';
    writeFileSync(file, `${backends}\nbuckets: { a: { backend: web, access: public, rules: ${rules} } }`);
    expect(checkFile(file, {}).warnings.filter(line => line.includes('rules'))).toEqual([
      'buckets.a.rules[0].keys[1] holds "b": it matches nothing: paths of a web origin begin with a slash',
    ]);
  });

  it('has the path that follows its address in its buckets, and the message says where', () => {
    expect(() => parseConfig('backends: { web: { type: http, endpoint: "http://w/docs" } }', {})).toThrow(
      'backends.web.endpoint holds "http://w/docs"; expected an address such as https://www.example.test, without path (buckets have keyPrefix for that)',
    );
  });

  it('stands in for no store', () => {
    const yaml =
      'backends: { web: { type: http, endpoint: "http://w" }, main: { type: s3, endpoint: "http://s", fallback: web } }';
    expect(() => parseConfig(yaml, {})).toThrow('backends.main.fallback');
  });
});
