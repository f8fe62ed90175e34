import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { secretsOf } from '../../../src/config/secrets.ts';

const backends =
  'backends: { main: { type: s3, endpoint: "http://s" }, web: { type: http, endpoint: "http://w" } }';

const parse = (sections: string, backend = 'main') =>
  parseConfig(
    `${backends}\nbuckets: { a: { backend: ${backend}, access: public, rules: [{ keys: ["**"], ${sections} }] } }`,
    {},
  );

function problemsOf(sections: string, backend?: string): string[] {
  try {
    parse(sections, backend);
    return [];
  } catch (error) {
    return String(error)
      .split('\n')
      .slice(1)
      .map(line => line.trim());
  }
}

const rule = 'buckets.a.rules[0]';

describe('responseHeaders', () => {
  it('has names in lower case, and nothing by default', () => {
    const { buckets } = parse('responseHeaders: { set: { X-Frame-Options: DENY }, remove: [Server] }');
    expect(buckets.a?.rules[0]?.responseHeaders).toEqual({
      ...{ set: { 'x-frame-options': 'DENY' }, add: {}, remove: ['server'] },
    });
  });

  it.each([
    ...[
      'Content-Length',
      'transfer-encoding',
      'connection',
      'etag',
      'ETag',
      'content-range',
      'content-encoding',
    ],
    ...[
      'last-modified',
      'vary',
      'age',
      'date',
      'via',
      'cache-status',
      'x-amz-request-id',
      'X-Store-Version-Id',
    ],
    ...['access-control-allow-origin', 'te', 'upgrade', 'content-md5', ':status', 'a b', 'accept-ranges'],
  ])('gives and takes no %s', name => {
    const isNo = expect.stringContaining(
      'is not a name that can stand here; expected the name of a header field other than',
    );
    for (const key of ['set', 'add'])
      expect(problemsOf(`responseHeaders: { ${key}: { "${name}": x } }`)).toEqual([isNo]);
    expect(problemsOf(`responseHeaders: { remove: [x-a, "${name}"] }`)).toEqual([
      expect.stringContaining(
        `${rule}.responseHeaders.remove[1] holds ${JSON.stringify(name)}; expected the name of`,
      ),
    ]);
  });

  it('names the key of what cannot stand there', () => {
    expect(problemsOf('responseHeaders: { set: { content-length: "1" } }')).toEqual([
      expect.stringContaining(`${rule}.responseHeaders.set.content-length is not a name`),
    ]);
    expect(problemsOf('responseHeaders: { set: { x-a: "a\\r\\nb: c" } }')).toEqual([
      expect.stringContaining(`${rule}.responseHeaders.set.x-a holds "a\\r\\nb: c"; expected the value of`),
    ]);
    expect(problemsOf('responseHeaders: { replace: {} }')).toEqual([
      expect.stringContaining(`${rule}.responseHeaders.replace is an unknown key`),
    ]);
  });

  it.each(['cache-control', 'content-type', 'content-disposition', 'x-amzn', 'dated', 'etags', 'expires'])(
    'gives and takes %s',
    name => {
      expect(problemsOf(`responseHeaders: { set: { ${name}: x }, remove: [${name}] }`)).toEqual([]);
    },
  );

  it('takes metadata and cookies, and gives none', () => {
    expect(problemsOf('responseHeaders: { remove: [X-Amz-Meta-Owner, set-cookie] }')).toEqual([]);
    expect(problemsOf('responseHeaders: { set: { x-amz-meta-owner: a } }')).toHaveLength(1);
    expect(problemsOf('responseHeaders: { add: { set-cookie: a } }')).toHaveLength(1);
  });
});

describe('cors', () => {
  it('allows pages to read, unless it says more', () => {
    expect(parse('cors: { allowOrigins: ["*"] }').buckets.a?.rules[0]?.cors).toEqual({
      ...{ allowOrigins: ['*'], allowMethods: ['GET', 'HEAD'], allowHeaders: [], exposeHeaders: [] },
      allowCredentials: false,
    });
    const { cors } = parse('cors: { allowOrigins: ["*"], maxAge: 10m }').buckets.a?.rules[0] ?? {};
    expect(cors?.maxAgeMs).toBe(600_000);
  });

  it.each([
    ['cors: {}', 'cors.allowOrigins is missing'],
    ['cors: { allowOrigins: "*" }', 'cors.allowOrigins holds "*"; expected a list of origins, such as ["*"]'],
    [
      'cors: { allowOrigins: ["*"], allowHeaders: "*" }',
      'cors.allowHeaders holds "*"; expected a list of names of header fields, such as ["*"]',
    ],
    ['cors: { allowOrigins: [] }', 'cors.allowOrigins holds a list of 0; expected at least one origin'],
    [
      'cors: { allowOrigins: [app.test] }',
      'cors.allowOrigins[0] holds "app.test"; expected an origin such as',
    ],
    ['cors: { allowOrigins: ["https://a.test/"] }', 'cors.allowOrigins[0] holds'],
    ['cors: { allowOrigins: ["!https://a.test"] }', 'cors.allowOrigins[0] holds'],
    [
      'cors: { allowOrigins: ["*"], allowMethods: [TRACE] }',
      'cors.allowMethods[0] holds "TRACE"; expected GET, HEAD',
    ],
    [
      'cors: { allowOrigins: ["*"], allowHeaders: ["a b"] }',
      'cors.allowHeaders[0] holds "a b"; expected the name',
    ],
    ['cors: { allowOrigins: ["*"], maxAge: 2d }', 'cors.maxAge holds "2d"; expected a duration'],
    [
      'cors: { allowOrigins: ["*"], allowCredentials: true }',
      'cors.allowOrigins holds a list of 1; expected no "*"',
    ],
    [
      'cors: { allowOrigins: ["https://a.test"], exposeHeaders: ["*"], allowCredentials: true }',
      'cors.exposeHeaders holds a list of 1; expected no "*"',
    ],
  ])('is refused: %s', (sections, problem) => {
    expect(problemsOf(sections)).toEqual([expect.stringContaining(`${rule}.${problem}`)]);
  });
});

describe('requestHeaders', () => {
  it.each([
    ...[
      'host',
      'Range',
      'if-none-match',
      'content-length',
      'transfer-encoding',
      'connection',
      'x-amz-date',
      'origin',
    ],
    ...['X-Store-Content-Sha256', 'accept-encoding', 'expect', 'via', 'cache-control', 'traceparent', 'te'],
  ])('gives no %s', name => {
    expect(problemsOf(`requestHeaders: { set: { ${name}: x } }`, 'web')).toEqual([
      expect.stringContaining('is not a name that can stand here; expected the name of a header field other'),
    ]);
  });

  it('may take Accept-Encoding away, so that all clients have one answer', () => {
    expect(problemsOf('requestHeaders: { remove: [Accept-Encoding, cookie] }', 'web')).toEqual([]);
  });

  it('gives stores no signature, and takes nothing from them', () => {
    expect(problemsOf('requestHeaders: { set: { x-origin-token: abc } }')).toEqual([]);
    expect(problemsOf('requestHeaders: { set: { Authorization: abc }, remove: [cookie] }')).toEqual([
      expect.stringContaining(`${rule}.requestHeaders.remove holds a list of 1; expected nothing`),
      expect.stringContaining(`${rule}.requestHeaders.set.authorization`),
    ]);
    expect(problemsOf('requestHeaders: { set: { authorization: abc } }', 'web')).toEqual([]);
  });

  it('holds secrets, which nobody is shown', () => {
    const config = parse('requestHeaders: { set: { x-origin-token: hunter-two } }');
    expect(secretsOf(config)).toEqual(['hunter-two']);
    expect(problemsOf('requestHeaders: { set: { x-origin-token: "hunter-\\u0001two" } }').join()).not.toMatch(
      /hunter/,
    );
  });
});

describe('onChange', () => {
  it('is taken at a store, whatever is cached for longer or each use confirmed', () => {
    expect(parse('onChange: warm').buckets.a?.rules[0]?.onChange).toBe('warm');
    expect(problemsOf('onChange: invalidate', 'web')).toEqual([]);
    expect(problemsOf('onChange: warm, cache: { mode: revalidate }')).toEqual([]);
    expect(problemsOf('onChange: often')).toEqual([expect.stringContaining(`${rule}.onChange`)]);
  });

  it('warms nothing where there are no objects, no events, or nothing is kept', () => {
    const isNo = (why: string) => [expect.stringContaining(`invalidate, since ${why}`)];
    expect(problemsOf('onChange: warm', 'web')).toEqual(isNo('a web origin has no objects to read'));
    expect(problemsOf('onChange: warm, cache: { mode: bypass }')).toEqual(
      isNo('with mode: bypass nothing is kept'),
    );
    expect(problemsOf('onChange: warm, cache: { mode: bypass }')[0]).toContain(`${rule}.onChange`);
  });

  const problemsOfBucket = (bucket: string) => {
    try {
      parseConfig(
        `${backends.replace('http://s', 'https://s3.eu-west-1.amazonaws.com')}\nbuckets: { a: { backend: main, access: public, ${bucket} } }`,
        {},
      );
      return [];
    } catch (error) {
      return String(error).split('\n').slice(1);
    }
  };
  const rules = (more = '') => `rules: [{ keys: ["a/**"], onChange: warm }${more}]`;

  it('counts what the bucket and other rules say of caching', () => {
    expect(problemsOfBucket(`cache: { mode: bypass }, ${rules()}`)).toHaveLength(1);
    expect(
      problemsOfBucket(`cache: { mode: bypass }, ${rules(', { keys: ["a/b"], cache: { mode: cache } }')}`),
    ).toEqual([]);
    expect(problemsOfBucket(rules(', { keys: ["x"], cache: { mode: bypass } }'))).toEqual([]);
  });

  it('asks for a bucket that events can name', () => {
    const point = 'bucket: "arn:aws:s3:eu-west-1:123456789012:accesspoint/one"';
    expect(problemsOfBucket(`${point}, ${rules()}`)).toEqual([
      expect.stringContaining('this one is an access point'),
    ]);
    expect(problemsOfBucket(point)).toEqual([]);
  });
});
