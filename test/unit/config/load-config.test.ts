import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { defaultConfig } from '../../../src/config/default-config.ts';
import { checkFile, parseConfig } from '../../../src/config/load-config.ts';
import { secretsOf } from '../../../src/config/secrets.ts';
import { defaultLimits } from '../../support/client-limits.ts';

const examplePath = new URL('../../../config/example.yaml', import.meta.url).pathname;

/** The problems of `yaml`, one line each. */
function problems(yaml: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    parseConfig(yaml, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const bucket = (keys: string) =>
  `{ backends: { main: { type: s3, endpoint: "http://x" } }, buckets: { photos: { backend: main, ${keys} } } }`;

describe('a configuration that works', () => {
  it('is the example, with every key that is built', () => {
    const { config } = checkFile(examplePath, {});
    expect(config.backends.main).toMatchObject({
      endpoint: 'https://s3.eu-west-1.amazonaws.com',
      queue: { size: 512, waitMs: 2_000 },
      minRateBytes: 1_024,
      timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
      breaker: { threshold: 0.5, minRequests: 20, windowMs: 10_000, openMs: 5_000, probes: 3 },
    });
    expect(config.buckets.photos?.rules[0]?.cache).toMatchObject({
      ttlMs: 86_400_000,
      blockSizeBytes: 1_048_576,
      maxObjectSizeBytes: 5 * 1024 ** 4,
    });
  });

  it('has callbacks that trust the connector service, unless it says otherwise', () => {
    const subjects = { '6f0c7d6e-1': 'Ada' };
    const token = `{ keys: "https://directory.test/keys", subjects: ${JSON.stringify(subjects)} }`;
    const config = parseConfig(
      `alerts: { callbacks: { port: 8443, url: "https://gateway.test", token: ${token} } }`,
      {},
    );
    expect(config.alerts.callbacks).toEqual({
      host: '127.0.0.1',
      port: 8443,
      url: 'https://gateway.test',
      restore: false,
      token: {
        keys: 'https://directory.test/keys',
        subjects,
        issuer: 'https://substrate.office.com/sts/',
        appIds: ['48af08dc-f6d2-435f-b2a7-069abd99c086'],
        clockToleranceMs: 300_000,
      },
    });
  });

  it('is an empty file, where everything stands at its default', () => {
    expect(parseConfig('', {})).toEqual({
      listen: [{ kind: 'tcp', host: '127.0.0.1', port: 8080 }],
      admin: { host: '127.0.0.1', port: 9090, names: [], unreadyOnCritical: false },
      workers: 1,
      shutdown: { delayMs: 0, limitMs: 25_000 },
      state: { directory: './tidegate-state' },
      backends: {},
      buckets: {},
      events: {},
      clients: [],
      cache: { memory: { sizeBytes: 512 * 2 ** 20 } },
      limits: {
        ...defaultLimits,
        ...{ headersBytes: 32_768, urlBytes: 8_192, requests: 10_000 },
        ...{ requestsPerAddress: 1_000, requestsPerAccessKey: 5_000, connectionsPerAccessKey: 5_000 },
        timeouts: { headersMs: 20_000, bodyMs: 20_000, idleMs: 300_000 },
        ...{ minRateBytes: 500, ratePerAddressBytes: 0, ratePerAccessKeyBytes: 0 },
      },
      alerts: { webhooks: [], rules: {} },
      log: { level: 'info', access: { format: 'json', sample: 1 } },
    });
  });

  it('has the defaults of config/example.yaml in a backend and a bucket that say only what they must', () => {
    const config = parseConfig(bucket('access: public'), {});
    expect(config.backends.main).toEqual({
      type: 's3',
      endpoint: 'http://x',
      region: 'us-east-1',
      addressing: 'path',
      headerPrefix: 'x-amz-',
      credentials: { kind: 'none' },
      connections: 128,
      queue: { size: 512, waitMs: 2_000 },
      minRateBytes: 1_024,
      timeouts: { connectMs: 2_000, firstByteMs: 10_000, idleMs: 10_000 },
      breaker: { threshold: 0.5, minRequests: 20, windowMs: 10_000, openMs: 5_000, probes: 3 },
    });
    expect(config.buckets.photos).toEqual({
      backend: 'main',
      compress: 'off',
      keyPrefix: '',
      access: 'public',
      anonymous: [{ actions: ['GetObject'], keys: ['**'] }],
      customerKeys: { cache: 'never', plainHttp: 'never' },
      maxBodySizeBytes: 5 * 1024 ** 3,
      query: { names: 'all', sorted: false },
      languages: [],
      setCookie: 'never',
      cache: {
        mode: 'cache',
        ttlMs: 60_000,
        maxTtlMs: 86_400_000,
        negativeTtlMs: 5_000,
        heuristicShare: 0,
        staleWhileRevalidateMs: 0,
        staleIfErrorMs: 0,
        maxStaleMs: 0,
        clientDirectives: 'ignore',
        targetedCacheControl: 'pass',
        showKey: false,
        honourCacheControl: true,
        blockSizeBytes: 1_048_576,
        maxObjectSizeBytes: 5 * 1024 ** 4,
      },
      rules: [],
    });
  });

  it('gives a rule what its bucket says where the rule is silent', () => {
    const config = parseConfig(
      bucket('access: public, cache: { negativeTtl: 1s }, rules: [{ keys: ["a/*"], cache: { ttl: 2h } }]'),
      {},
    );
    expect(config.buckets.photos?.rules[0]?.cache).toMatchObject({ negativeTtlMs: 1_000, ttlMs: 7_200_000 });
  });

  it('compresses by what a rule says of it, then the bucket, then the defaults', () => {
    const { compress, rules } =
      parseConfig(
        bucket(
          'access: public, compress: { codings: [gzip] }, rules: [{ keys: [a], compress: { signed: true } }, { keys: [b], compress: false }, { keys: [c], compress: true }]',
        ),
        {},
      ).buckets.photos ?? {};
    expect(compress).toMatchObject({ codings: ['gzip'], minSizeBytes: 1_024, signed: false });
    expect(rules?.map(rule => rule.compress)).toEqual([
      { ...(compress as object), signed: true },
      'off',
      compress,
    ]);
  });

  it('lets nobody in anonymously where access is verify', () => {
    expect(parseConfig(bucket('access: verify'), {}).buckets.photos?.anonymous).toEqual([]);
  });

  it('is frozen through and through', () => {
    const config = parseConfig(bucket('access: public'), {});
    expect(Object.isFrozen(config.buckets.photos?.cache)).toBe(true);
    expect(Object.isFrozen(config.buckets.photos?.anonymous)).toBe(true);
  });

  it('takes values from the environment, numbers too', () => {
    const config = parseConfig(
      `{ listen: { port: "\${PORT}", host: "\${HOST:-::1}" }, log: { access: "\${LOG}" } }`,
      {
        PORT: '81',
        HOST: '',
        LOG: 'false',
      },
    );
    expect(config.listen).toEqual([{ kind: 'tcp', host: '::1', port: 81 }]);
    expect(config.log.access).toBe(false);
  });

  it('takes values from files, without the end of the last line, and shows none of them', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-values-'));
    const file = join(directory, 'token');
    writeFileSync(file, `planted $\{NAME}\r\n\n`);
    const token = (text: string) =>
      parseConfig(`admin: { token: "${text}" }`, { file: 'variable' }).admin.token;
    expect(token(`a\${file:${file}}b`)).toBe(`aplanted $\{NAME}\r\nb`);
    writeFileSync(file, 'planted\r\n');
    expect(token(`\${file:${file}}`)).toBe('planted');
    expect(token(`\${file:-default} \${file}`)).toBe('variable variable');
    expect(problems(`workers: "\${file:${file}}"`)).toEqual([
      `workers holds a text with \${file:${file}}, whose value is that of a file and is not shown; expected auto, or a whole number from 1 to 256`,
    ]);
    rmSync(directory, { recursive: true });
    expect(problems(`workers: "\${file:${file}}"`)).toEqual([
      `workers takes \${file:${file}}, which cannot be read (ENOENT)`,
    ]);
  });

  it('takes the credentials of a backend from the environment where it says so', () => {
    const yaml = 'backends: { main: { type: s3, endpoint: "http://x", credentials: { from: environment } } }';
    const environment = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hidden' };
    const config = parseConfig(yaml, environment);
    expect(config.backends.main).toMatchObject({ credentials: { kind: 'static', accessKeyId: 'AKID' } });
    expect(secretsOf(config)).toEqual(['hidden']);
    expect(problems(yaml)).toEqual([
      'backends.main.credentials.from holds "environment"; expected environment only where AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set',
    ]);
    expect(problems(yaml, { ...environment, AWS_ACCESS_KEY_ID: 'AK/ID' })).toEqual([
      'backends.main.credentials.from holds "environment"; expected environment only where its credentials can be sent: the access key id has characters that cannot be sent',
    ]);
    expect(problems(yaml, { ...environment, AWS_SESSION_TOKEN: 'a\n' }).join()).toMatch(
      /the session token has characters that cannot be sent$/,
    );
  });

  it('knows where credentials come from, and leaves to the environment what is left out', () => {
    const source = (credentials: string, environment = {}) => {
      const yaml = `backends: { main: { type: s3, endpoint: "http://x", credentials: ${credentials} } }`;
      const { main } = parseConfig(yaml, environment).backends;
      return main?.type === 's3' && main.credentials.kind === 'provided'
        ? main.credentials.source
        : undefined;
    };
    expect(source('{ from: default }')).toEqual({ from: 'default' });
    expect(source('{ from: profile, profile: p, configFile: c, credentialsFile: d, region: r }')).toEqual({
      ...{ from: 'profile', profile: 'p', configFile: 'c', credentialsFile: 'd', region: 'r' },
    });
    expect(source('{ from: instance }')).toEqual({ from: 'instance', timeoutMs: 1_000 });
    const container = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2' };
    expect(source('{ from: container, timeout: 2s }', container)).toEqual({
      from: 'container',
      timeoutMs: 2_000,
    });
    expect(source('{ from: web-identity, tokenFile: t, roleArn: a, duration: 1h }')).toMatchObject({
      ...{ from: 'web-identity', tokenFile: 't', roleArn: 'a', durationMs: 3_600_000 },
    });
    expect(source('{ from: process, command: "get it" }')).toMatchObject({
      command: 'get it',
      timeoutMs: 30_000,
    });
    const expiring = {
      ...{ AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hidden' },
      AWS_CREDENTIAL_EXPIRATION: '2040-01-01T00:00:00Z',
    };
    expect(source('{ from: environment }', expiring)).toEqual({ from: 'environment' });
  });

  it.each([
    [
      '{ from: vault }',
      '.from holds "vault"; expected default, environment, profile, instance, container, web-id',
    ],
    ['{ from: instance, profile: p }', '.profile is an unknown key and holds a value that is not shown'],
    ['{ from: instance, timeout: 2h }', '.timeout holds "2h"; expected a duration'],
    ['{ from: container }', '.from holds "container"; expected container only where AWS_CONTAINER_'],
    [
      '{ from: web-identity, roleArn: a }',
      '.tokenFile is missing; expected a file with a token, since AWS_WEB',
    ],
    [
      '{ from: web-identity, tokenFile: a }',
      '.roleArn is missing; expected the ARN of a role, since AWS_ROLE_ARN',
    ],
    ['{ from: process, command: c, profile: p }', 'profile holds "p"; expected none beside a command'],
    [
      '{ accessKeyId: “a”, secretAccessKey: b }',
      '.accessKeyId holds a value that is not shown, a text of 3 characters; expected an access key id: printable ASCII',
    ],
    [
      '{ accessKeyId: a/b, secretAccessKey: b }',
      'expected an access key id: printable ASCII without blanks, "/" and ","',
    ],
    ['{ accessKeyId: "a,b", secretAccessKey: b }', 'expected an access key id: printable ASCII without'],
    [
      '{ accessKeyId: a, secretAccessKey: b, sessionToken: "c d" }',
      '.sessionToken holds a value that is not shown, a text of 3 characters; expected a session token: printable ASCII without',
    ],
    ['{ accessKeyId: a }', '.secretAccessKey is missing; expected a secret access key'],
    ['both', 'expected none, { accessKeyId, secretAccessKey } or { from: default | environment | profile'],
  ])('says what is wrong with credentials: %s', (credentials, expected) => {
    const yaml = `backends: { main: { type: s3, endpoint: "http://x", credentials: ${credentials} } }`;
    const [problem = ''] = problems(yaml);
    expect(problem).toContain('backends.main.credentials');
    expect(problem).toContain(expected);
  });

  it('names every secret of the example, for the log', () => {
    expect(secretsOf(checkFile(examplePath, { CLIENT_SECRET: 'client-secret' }).config)).toEqual([
      'change-me',
      'change-me-too',
      'change-me',
      'client-secret',
      'https://hooks.example.test/incoming',
    ]);
  });

  it('is the default start, whose ports the environment may move', () => {
    const config = defaultConfig({ TIDEGATE_PORT: '0', TIDEGATE_ADMIN_PORT: '0' });
    expect(config.listen).toMatchObject([{ port: 0 }]);
    expect(config.buckets.sample?.anonymous).toEqual([
      { actions: ['GetObject', 'ListBucket'], keys: ['**', '!private/**'] },
    ]);
  });
});

it.each(['a/b', 'a,b', 'a b', '“a”'])('a client has no access key id like %s', id => {
  expect(problems(`clients: [{ accessKeyId: "${id}", secretAccessKey: b, allow: [] }]`)).toEqual([
    `clients[0].accessKeyId holds a value that is not shown, a text of 3 characters; expected an access key id: printable ASCII without blanks, "/" and ","`,
  ]);
});

it('what follows the comma of a secret without quotes is not shown', () => {
  const backend =
    'type: s3, endpoint: "http://s", credentials: { accessKeyId: AK, secretAccessKey: seKRETa, seKRETb }';
  const [found = ''] = problems(`backends: { main: { ${backend} } }`).filter(each =>
    each.includes('an unknown key'),
  );
  expect(found).toContain(
    'backends.main.credentials (a key that is not shown, 7 characters) is an unknown key',
  );
  expect(found).not.toContain('seKRET');
});

describe('a problem is named with its key, what it holds and what was expected', () => {
  it.each([
    ['listen: { port: 70000 }', 'listen.port holds 70000; expected a whole number from 0 to 65535'],
    [
      'listen: [8080]',
      'listen[0] holds 8080; expected a map of host, port, path, mode, tls, http2, clientCa, clientCertificates',
    ],
    [
      'listen: 8080',
      'listen holds 8080; expected a map of host, port, tls, or of path, mode, or a list of such maps',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://s3.test", tls: { insecureSkipVerify: true } } }',
      'backends.m.tls.insecureSkipVerify holds true; expected false, since the endpoint is not a loopback address; name the authority of its certificate with ca',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://localhost:1", addressing: virtual, tls: { insecureSkipVerify: true } } }',
      'backends.m.tls.insecureSkipVerify holds true; expected false, since with addressing: virtual the hosts are names under that of the endpoint, which need not be loopback addresses',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://127.0.0.1:1", addressing: virtual } }',
      'backends.m.addressing holds "virtual"; expected path, since the endpoint is an address: no bucket can be a part of its name',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://[::1]:1", addressing: virtual } }',
      'backends.m.addressing holds "virtual"; expected path, since the endpoint is an address: no bucket can be a part of its name',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://s3.test", tls: { serverName: 127.0.0.1 } } }',
      'backends.m.tls.serverName holds "127.0.0.1"; expected the name in the certificate of the store, such as s3.example.test, and no address',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://s3.test", tls: { serverName: "::1" } } }',
      'backends.m.tls.serverName holds "::1"; expected the name in the certificate of the store, such as s3.example.test, and no address',
    ],
    [
      'backends: { m: { type: s3, endpoint: "http://127.0.0.1:1", tls: { ca: /a } } }',
      'backends.m.tls holds a map of ca; expected nothing, unless the endpoint is https',
    ],
    [
      'backends: { m: { type: s3, endpoint: "https://s3.test", tls: { cert: /a } } }',
      'backends.m.tls.key is missing; expected a path, since there is a cert',
    ],
    ['listen: []', 'listen holds a list of 0; expected at least one address, such as { port: 8080 }'],
    [
      'listen: [{ port: 1 }, { port: -1 }]',
      'listen[1].port holds -1; expected a whole number from 0 to 65535',
    ],
    [
      'listen: { path: run/s.sock }',
      'listen.path holds "run/s.sock"; expected the absolute path of a unix socket, of 90 bytes at most',
    ],
    [
      'listen: { path: /run/s.sock, port: 1 }',
      'listen.port holds 1; expected nothing beside path, which is a unix socket',
    ],
    [
      'listen: { proxyProtocol: true }',
      'listen.proxyProtocol holds true; expected nothing without trustedProxies, which says whose headers count',
    ],
    [
      'listen: { path: /run/s.sock, proxyProtocol: true }',
      'listen.proxyProtocol holds true; expected nothing without trustedProxies, which says whose headers count',
    ],
    [
      'listen: { trustedProxies: [] }',
      'listen.trustedProxies holds a list of 0; expected at least one network',
    ],
    [
      'listen: { trustedProxies: [10.0.0.0/8, 10.0.0.0/33] }',
      'listen.trustedProxies[1] holds "10.0.0.0/33"; expected a network such as 10.0.0.0/8 or 2001:db8::/32, or an address',
    ],
    ['listen: { mode: "0600" }', 'listen.mode holds "0600"; expected nothing without path'],
    [
      'listen: { path: /run/s.sock, mode: 0660 }',
      'listen.mode holds 660; expected permissions in quotes, such as "0660"',
    ],
    [
      'listen: [{ port: 1 }, { host: "::", port: 1 }]',
      'listen[1].port holds 1; expected a port other than 1, which listen[0] uses',
    ],
    [
      'listen: [{ path: /a }, { path: /a }]',
      'listen[1].path holds "/a"; expected a path that no other listener has',
    ],
    ['listne: {}', 'listne is an unknown key and holds a map of nothing; the known keys are listen, admin, '],
    [
      bucket('access: public, ttl: 1h'),
      'languages, cache, compress, website, rules; ttl is a key of buckets.photos.cache',
    ],
    [
      bucket('access: public, cache: { setCookie: store }'),
      'blockSize, maxObjectSize; setCookie is a key of buckets.photos',
    ],
    [
      bucket('access: public, rules: [{ keys: ["**"], cache: { ttl: 1h }, maxTtl: 1h }]'),
      'requestHeaders, onChange, languages; maxTtl is a key of buckets.photos.rules[0].cache',
    ],
    [
      'backends: { main: { type: s3, endpoint: "http://127.0.0.1:9", keys: exact, credentials: none, firstByte: 1s } }',
      'firstByte is a key of backends.main.timeouts',
    ],
    ['limit: {}', 'log, tracing; did you mean limits?'],
    ['bucket: {}', 'log, tracing; did you mean buckets?'],
    ['timeout: 1s', 'log, tracing'],
    [
      'clients: [{ accessKeyId: a, secretAccessKey: b, allow: [{ buckets: ["*"], keys: ["**"], actions: [GetObject] }], actions: [] }]',
      'actions is a key of clients[0].allow[0]',
    ],
    ['memory: { size: 1GiB }', 'log, tracing; memory is a key of cache'],
    ['admin: { workers: 2 }', 'unreadyOnCritical; workers is a key of the file'],
    ['domain: "Not A Name"', 'domain holds "Not A Name"; expected a domain name in lower case'],
    ['workers: 0', 'workers holds 0; expected auto, or a whole number from 1 to 256'],
    ['cache: { memory: { size: 512MB } }', 'cache.memory.size holds "512MB"; expected a size such as'],
    ['log: { level: loud }', 'log.level holds "loud"; expected debug, info, warn, error'],
    [bucket('access: open'), 'buckets.photos.access holds "open"; expected public, verify'],
    [bucket('bucket: x'), 'buckets.photos.access is missing; expected public, verify'],
    [bucket('access: public, cache: { ttl: 10 }'), 'buckets.photos.cache.ttl holds 10; expected a duration'],
    [
      bucket('access: public, cache: { blockSize: 3MiB }'),
      'buckets.photos.cache.blockSize holds "3MiB"; expected a power of two',
    ],
    [
      bucket('access: public, cache: { ttl: 2d }'),
      'buckets.photos.cache.ttl holds "2d"; expected at most maxTtl (1d, the default)',
    ],
    [
      bucket('access: public, cache: { ttl: 2h, maxTtl: 1h }'),
      'buckets.photos.cache.ttl holds "2h"; expected at most maxTtl (1h)',
    ],
    [
      bucket('access: public, rules: [{ keys: ["**"], cache: { ttl: 2d } }]'),
      'buckets.photos.rules[0].cache.ttl holds "2d"; expected at most maxTtl (1d, the default)',
    ],
    [
      bucket('access: public, cache: { ttlByStatus: { 404: 2d } }'),
      'buckets.photos.cache.ttlByStatus.404 holds "2d"; expected at most maxTtl (1d, the default)',
    ],
    [
      bucket('access: public, rules: [{ keys: ["**"], cache: { ttlByType: { TEXT: 1s } } }]'),
      'buckets.photos.rules[0].cache.ttlByType.TEXT is not a name that can stand here; expected a media type such as text/html or image/*',
    ],
    [
      bucket('access: public, website: { index: a/b }'),
      'buckets.photos.website.index holds "a/b"; expected the name of a document such as index.html, without a slash',
    ],
    [
      bucket('access: public, website: { error: e.html, errorFor: [500] }'),
      'buckets.photos.website.errorFor[0] holds 500; expected 403 or 404',
    ],
    [
      bucket('access: verify, website: { index: a }'),
      'buckets.photos.website holds a map of index; expected nothing unless access is public',
    ],
    [
      bucket('access: public, compress: { codings: [gzip, deflate] }'),
      'buckets.photos.compress.codings[1] holds "deflate"; expected br, zstd, gzip',
    ],
    [
      bucket('access: public, compress: { codings: [gzip, gzip] }'),
      'buckets.photos.compress.codings holds a list of 2; expected each coding once',
    ],
    [
      bucket('access: public, compress: { types: [text] }'),
      'buckets.photos.compress.types[0] holds "text"; expected a media type such as text/html, text/* or application/*+json',
    ],
    [
      bucket(
        'access: public, compress: { minSize: 1MiB }, rules: [{ keys: [a], compress: { maxSize: 1KiB } }]',
      ),
      'buckets.photos.rules[0].compress.maxSize holds "1KiB"; expected at least minSize',
    ],
    [
      bucket('access: public, cache: { mode: never }'),
      'buckets.photos.cache.mode holds "never"; expected cache, revalidate, bypass',
    ],
    [
      bucket('access: public, rules: [{ keys: ["**"] }]'),
      'buckets.photos.rules[0] holds a map of keys; expected a rule that says something of its keys, such as { keys: ["static/**"], cache: { ttl: 1d } }',
    ],
    [
      bucket('access: verify, anonymous: [{ actions: [GetObject] }]'),
      'buckets.photos.anonymous holds a list of 1; expected nothing unless access is public',
    ],
    [
      'backends: { main: { type: s3, endpoint: "http://x/base" } }',
      'backends.main.endpoint holds "http://x/base"; expected an address such as',
    ],
    ['backends: { main: { type: tape } }', 'backends.main.type holds "tape"; expected s3, http, embedded'],
    [`listen: { port: "\${PORT}" }`, `listen.port takes \${PORT} from the environment, where it is not set`],
    ['a: 1\na: 2', 'line 2: a is there twice'],
    ['a: { &k b: 1, *k : 2 }', 'line 1: a has a key that is taken from elsewhere by "*"; write it out'],
    ['a: { 1: b, "1": c }', 'line 1: a.1 is there twice'],
    ['workers: 1\n---\nworkers: 2', 'line 2: a second document begins here; a configuration is one document'],
    ['a:\n  - b: 1\n    c: { d: 1, e: 2, d: 3 }\n', 'line 3: a[0].c.d is there twice'],
    [
      bucket('access: public, rules: [{ keys: [!private/**] }]'),
      'line 1: a text that begins with "!" is a tag, and this one is not known; write it in quotes',
    ],
    [
      'a: [&a { k: [1] }, *a]\nbuckets:\n  photos: { rules: [1, { keys: [**] }] }',
      'line 3: buckets.photos.rules[1].keys[0] begins with "*", which refers to nothing; write it in quotes',
    ],
    [
      'admin:\n  token: *x',
      'line 2: admin.token begins with "*", which refers to nothing; write it in quotes',
    ],
    ['listen: { host: 999.1.1.1 }', 'listen.host holds "999.1.1.1"; expected an IP address or a host name'],
    ['listen: [{ host: "::1::" }]', 'listen[0].host holds "::1::"; expected an IP address or a host name'],
    ['admin: { host: 127.0.0.256 }', 'admin.host holds "127.0.0.256"; expected an IP address or a host name'],
    [
      bucket('access: public, bucket: "arn:aws:s3:::photos-eu"'),
      'buckets.photos.bucket holds "arn:aws:s3:::photos-eu"; expected the bucket\'s name, which follows ":::"',
    ],
    [
      bucket('access: public, fallbackBucket: "arn:aws-cn:s3:::photos-cn/*"'),
      'buckets.photos.fallbackBucket holds "arn:aws-cn:s3:::photos-cn/*"; expected the bucket\'s name, which follows ":::"',
    ],
    ['buckets: 1', 'buckets holds 1; expected a map, each key the name of a bucket, "*" for every other'],
    ['limits: { url: 1GiB }', 'limits.url holds "1GiB"; expected a size such as'],
    ['limits: { url: 32KiB }', 'limits.url holds "32KiB"; expected less than limits.headers, which is 32KiB'],
    [
      'alerts: { callbacks: { port: 1, url: gateway.test, token: { keys: "http://k", subjects: {} } } }',
      'alerts.callbacks.url holds "gateway.test"; expected an address such as https://gateway.example.test',
    ],
    [
      'alerts: { callbacks: { port: 1, url: "https://g", token: { keys: "http://k", subjects: {}, clockTolerance: 5 } } }',
      'alerts.callbacks.token.clockTolerance holds 5; expected a duration',
    ],
    [
      'alerts: { callbacks: { port: 1, url: "https://g", token: { keys: "http://k", subjects: { ada: 7 } } } }',
      'alerts.callbacks.token.subjects.ada holds 7; expected',
    ],
    [
      'buckets: { photos-production-2026: { backend: main-store-2026, access: public } }',
      'buckets.photos-production-2026.backend holds "main-store-2026"; expected',
    ],
    ...['tokens', 'webhooks', 'designs', 'clients'].map(name => [
      bucket('access: open').replace('photos', name),
      `buckets.${name}.access holds "open"; expected public, verify`,
    ]),
  ])('%s', (yaml, expected) => {
    expect(problems(yaml)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    `{ accessKeyId: \${KEY}, secretAccessKey: \${SECRET:-hunter2} }`,
    `[\${KEY}, \${SECRET}]`,
    `{ \${KEY}: 1 }`,
    `{ a: "\${A}", b: x\${KEY}\n  c: \${file:/x} }`,
  ])('has one line for the first reference that needs quotes: %s', yaml => {
    expect(problems(`a: 1\nb: ${yaml}\nc: 1`)).toEqual([
      `line 2: a reference to a variable or a file has to stand in quotes here, such as "\${NAME}"`,
    ]);
    expect(problems(`workers: \${WORKERS}`, { WORKERS: '2' })).toEqual([]);
  });

  it('has one line for what cannot be read, whatever the parser makes of the rest', () => {
    expect(problems('a: { b: 1, }}\nc: [1, 2, ]]\nd: }')).toEqual(['line 1: this is not expected here']);
  });

  it('names what the environment lacks beside what else is wrong, of which that is no part', () => {
    const yaml = `
      workers: 0
      listen: { port: "$\{PORT}" }
      backends:
        main: { type: s3, endpoint: "$\{STORE}", credentials: { accessKeyId: "$\{KEY}", secretAccessKey: "$\{file:/nowhere/key}", a: 1 } }
      clients:
        - { accessKeyId: "$\{KEY}", secretAccessKey: "$\{SECRET}", allow: [] }`;
    const lacks = (key: string, name: string) =>
      `${key} takes $\{${name}} from the environment, where it is not set`;
    expect(problems(yaml)).toEqual([
      lacks('listen.port', 'PORT'),
      lacks('backends.main.endpoint', 'STORE'),
      lacks('backends.main.credentials.accessKeyId', 'KEY'),
      `backends.main.credentials.secretAccessKey takes \${file:/nowhere/key}, which cannot be read (ENOENT)`,
      lacks('clients[0].accessKeyId', 'KEY'),
      lacks('clients[0].secretAccessKey', 'SECRET'),
      expect.stringContaining('workers holds 0; expected'),
      expect.stringContaining('backends.main.credentials.a is an unknown key'),
    ]);
  });

  it('has one line for the first tab, whatever the parser makes of the rest', () => {
    expect(problems('a:\n\tb:\n\t\tc: 1\n\td: [\ne: "x\n')).toEqual([
      'line 2: Tabs are not allowed as indentation',
    ]);
  });

  it('names all problems at once', () => {
    expect(problems('{ workers: 0, log: { level: loud } }')).toHaveLength(2);
  });

  it('names a file that cannot be read', () => {
    expect(() => checkFile('/nowhere/tidegate.yaml', {})).toThrow(
      /\/nowhere\/tidegate\.yaml.*\n.*there is no such file \(ENOENT\)$/,
    );
    expect(() => checkFile('/', {})).toThrow(/\n.*this is a directory, not a file \(EISDIR\)$/);
  });
});

describe('tracing', () => {
  it('has a share and no further fields unless it says so, and is absent by default', () => {
    expect(parseConfig('', {})).not.toHaveProperty('tracing');
    expect(parseConfig('tracing: { endpoint: "http://127.0.0.1:4318" }', {}).tracing).toEqual({
      endpoint: 'http://127.0.0.1:4318',
      sample: 0.01,
      headers: {},
    });
  });

  it.each([
    ['{}', 'tracing.endpoint'],
    ['{ endpoint: "127.0.0.1:4318" }', 'tracing.endpoint'],
    ['{ endpoint: "http://user:secret@x" }', 'tracing.endpoint'],
    ['{ endpoint: "http://x?key=secret" }', 'tracing.endpoint'],
    ['{ endpoint: "http://x", sample: 5 }', 'tracing.sample'],
    ['{ endpoint: "http://x", headers: { "a b": "c" } }', 'tracing.headers'],
    ['{ endpoint: "http://x", headers: { a: "b\\nc" } }', 'tracing.headers.a'],
    ['{ endpoint: "http://x", ratio: 1 }', 'tracing'],
  ])('%s is refused by the path of its key', (yaml, path) => {
    expect(problems(`tracing: ${yaml}`)).toEqual([expect.stringContaining(path)]);
  });

  it('has its headers among the secrets, but no short words that may stand anywhere', () => {
    const yaml = 'tracing: { endpoint: "http://x", headers: { authorization: "Bearer hidden", team: web } }';
    expect(secretsOf(parseConfig(yaml, {}))).toEqual(['Bearer hidden']);
  });
});

it.each([
  ['ratePerAddress: 1KiB', 'limits.ratePerAddress'],
  ['timeouts: { idle: 10ms }', 'limits.timeouts.idle'],
  ['timeouts: { head: 10s }', 'limits.timeouts'],
  ['requestsPerAccessKey: 0', 'limits.requestsPerAccessKey'],
  ['connectionsPerAccessKey: 0', 'limits.connectionsPerAccessKey'],
])('limits: { %s } is refused by the path of its key', (yaml, path) => {
  expect(problems(`limits: { ${yaml} }`)).toEqual([expect.stringContaining(path)]);
});

it('a bucket takes no larger bodies than stores do', () => {
  expect(problems(bucket('access: public, maxBodySize: 6GiB'))).toEqual([
    expect.stringContaining('buckets.photos.maxBodySize'),
  ]);
});

describe('a part that is not built yet says so', () => {
  it.each([
    [
      'cache: { disk: { directory: /x, size: 1GiB } }',
      'cache.disk asks for the disk tier, which is not built yet',
    ],
    [
      'cache: { shared: { url: "redis://x" } }',
      'cache.shared asks for the shared tier, which is not built yet',
    ],
    [bucket('access: delegate'), 'buckets.photos.access holds "delegate", which is not built yet'],
    [
      bucket('access: public, customerKeys: { cache: memory }'),
      'customerKeys.cache holds "memory", which is not built',
    ],
  ])('%s', (yaml, expected) => {
    expect(problems(yaml)).toEqual([expect.stringContaining(expected)]);
  });

  it('and so does the example, in each of its lines that name one', () => {
    const lines = readFileSync(examplePath, 'utf8').split('\n');
    const waiting = lines.filter(line => /^\s*# \w+: .*# not built yet$/.test(line));
    expect(waiting).toHaveLength(2);
    for (const line of waiting) {
      const yaml = lines.map(each => (each === line ? each.replace('# ', '') : each)).join('\n');
      expect(problems(yaml)).toEqual([expect.stringContaining('not built yet')]);
    }
  });
});

describe('a secret is in no message', () => {
  it.each([
    'backends: { main: { type: s3, endpoint: "http://x", credentials: { accessKeyId: a, secretAcessKey: hunter2 } } }',
    'clients: [{ accessKeyId: a, secretKey: hunter2 }]',
    'admin: { tokn: 1, token: [hunter2] }',
    'admin: { tokenn: hunter2 }',
    'alerts: { webhooks: [{ url: "hunter2" }] }',
    'alerts: { webhooks: [{ url: "http://hunter2" }, { url: "http://hunter2" }] }',
    `listen: { port: "\${SECRET}" }`,
    `listen: { port: "\${UNSET:-hunter2}" }`,
    `listen: { port: "hunter2-\${SECRET}" }`,
    'clients: [{ accessKeyId: a, secretAccessKey: { hunter2: b } }]',
    'clients: [{ accessKeyId: a, secretAccessKey: { hunter2 } }]',
    'clients: [{ accessKeyId: a, secretAccessKey: b, hunter2: c }]',
    'clients: [{ accessKeyId: a, secretAccessKey: *hunter2 }]',
    'clients: [{ accessKeyId: a, secretAccessKey: &hunter2 }]',
    'clients: [{ accessKeyId: a, secretAccessKey: !hunter2 }]',
    'clients: [{ accessKeyId: a, secretAccessKey: !hunter2 x }]',
    'clients: [{ accessKeyId: a, secretAccessKey: @hunter2 }]',
    'clients: [{ accessKeyId: a, secretAccessKey: "\\hunter2" }]',
    'clients: [{ accessKeyId: a, secretAccessKey: hunter2: x }]',
    'clients:\n - accessKeyId: a\n   secretAccessKey: hunter2: x\n',
    'clients:\n - accessKeyId: a\n   secretAccessKey: |\n    hunter2\n   hunter2\n',
    'clients:\n - accessKeyId: a\n   secretAccessKey: hunter2: {\n',
    'clients:\n - accessKeyId: a\n   secretAccessKey: %hunter2\n   b: ]hunter2\n',
    '%hunter2\n---\nclients: 1',
    'clients: hunter2/abcdEFGH1234abcdEFGH1234',
    'admin: { host: "hunter2/abcdEFGH1234abcdEFGH1234" }',
    'admin: { token: { "hunter2": 1 } }',
    'backends: { main: { type: s3, endpoint: "http://x", credentials: hunter2 } }',
    'backends: { main: { type: s3, endpoint: "http://x", credentials: { hunter2: hunter2 } } }',
    'backends: { main: { type: s3, endpoint: "http://user:hunter2@x" } }',
    'backends: { main: { type: s3, endpoint: "http://x/?sig=hunter2" } }',
    'backends: { "hunter2/abcdEFGH1234abcdEFGH1234": { type: s3 } }',
    '"hunter2/abcdEFGH1234abcdEFGH1234": 1',
    'alerts: { webhooks: ["https://x/hunter2"] }',
    'alerts: { webhooks: [{ uri: "https://x/hunter2" }] }',
    'alerts: { webhooks: "https://x/hunter2" }',
    'alerts: { callbacks: { token: hunter2 } }',
    ...[
      'https://AK:wJal/hunter2@x',
      'https://AK:wJal?hunter2@x',
      'https://AK:wJal#hunter2@x',
      'AK:a\nhunter2@x',
    ].map(url => `backends: { main: { type: s3, endpoint: ${JSON.stringify(url)} } }`),
    'tracing: { endpoint: "http://x", headers: "authorization: Bearer hunter2" }',
    'tracing: { endpoint: "http://x", headers: { authorization: "hunter2\n" } }',
    'tracing: { endpoint: "http://x", headers: { "authorization: Bearer hunter2": } }',
    'tracing: { endpoint: "http://x", headers: [hunter2] }',
    'admin:\n  token:hunter2',
    'admin: { port: 0, token:hunter2 }',
    'admin: { port: 0, eventsToken=hunter2: }',
    // short: a long one is hidden whatever it is called
    'admin: { port: 0, a-token=hunter2: }',
    'admin: { host: "sig :hunter2" }',
    ...[
      '"token": "hunter2"',
      '- token: hunter2',
      'export TOKEN=hunter2',
      'Authorization: Bearer hunter2',
    ].map(text => `admin: { host: ${JSON.stringify(text)} }`),
    ...['apiKey:hunter2', 'api_key = hunter2', 'pwd=hunter2', 'x\nsecret: hunter2', 'credential:hunter2'].map(
      text => `admin: { host: ${JSON.stringify(text)} }`,
    ),
    'admin: { host: "Xk9$mQ2!vL7#hunter2" }',
    'admin: { host: "a;key=hunter2" }',
    'admin: { host: "https:hunter2xUtnFEMIK7MDENGbPx" }',
    'admin: { host: "https://hunter2xUtnFEMIK7MDENGbPx" }',
    `admin: { host: "hunter2${' a'.repeat(600)}" }`,
    'admin: { host: "accesskey:hunter2" }',
    'backends: { main: { type: s3, endpoint: "https://AK:123/hunter2@x" } }',
    'backends: { main: { type: s3, endpoint: "https://hunter2:123/x@y" } }',
    `admin: { port: "\${wJalrXUtnFEMIK7MDENGhunter2PLEKEY:-x}" }`,
    `admin: { token: "\${wJalrXUtnFEMIK7MDENGhunter2PLEKEY}" }`,
    'admin: { host: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.hunter2abcdEFGH1234abcdEFGH" }',
    'admin: { host: "key:hunter2abcdEFGH1234abcdEFGH" }',
    'tracing: { endpoint: "http://x?a", headers: {} }\nadmin: { host: "https://hooks.example.test/services/T00/B00/hunter2abcdEFGH1234" }',
    'backends: { main: { type: s3, endpoint: "https://hooks.example.test/services/T00/B00/hunter2abcdEFGH1234" } }',
  ])('%s', yaml => {
    const found = problems(yaml, { SECRET: 'hunter2' });
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toContain('hunter2');
  });
});

it.each(['AWS_SECRET_ACCESS_KEY_OF_MAIN_2', 'secret_of_the_main_store', 'mainSecret2'])(
  'a variable that is not set is named: %s',
  name => {
    expect(problems(`admin: { token: "\${${name}}" }`).join()).toContain(`\${${name}}`);
  },
);

it.each(['/srv/data/2024/cache/of-web/', '12345678901234567890', 'http://127.0.0.1:19000/some/longer/path/'])(
  'a text in a wrong place that is no secret is shown: %s',
  text => {
    expect(problems(`admin: { port: "${text}" }`).join()).toContain(`holds "${text}"`);
  },
);

describe('a private key in the place of its file', () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGhunter2\n-----END PRIVATE KEY-----\n';
  const [listed, named] = [JSON.stringify(pem), `"\${TLS_KEY}"`];
  const store = (tls: string) => `backends: { main: { type: s3, endpoint: "https://x", tls: ${tls} } }`;

  it.each([
    ['listen.tls.cert', `listen: { tls: { cert: ${listed}, key: /x.key } }`],
    ['listen.tls.cert', `listen: { tls: { cert: ${named}, key: /x.key } }`],
    ['listen[0].clientCa', `listen: [{ tls: [{ cert: /x.crt, key: /x.key }], clientCa: ${named} }]`],
    ['backends.main.tls.ca', store(`{ ca: ${listed} }`)],
    ['backends.main.tls.ca', store(`{ ca: ${named} }`)],
    ['backends.main.tls.cert', store(`{ cert: ${named}, key: /x.key }`)],
  ])('is told as that, and not shown: %s by %s', (key, yaml) => {
    const directory = mkdtempSync(join(tmpdir(), 'tidegate-config-'));
    const file = join(directory, 'g.yaml');
    writeFileSync(file, yaml);
    let said = '';
    try {
      checkFile(file, { TLS_KEY: pem });
    } catch (error) {
      said = String(error);
    }
    rmSync(directory, { recursive: true });
    expect(said).toMatch(`${key} holds a `);
    expect(said).toContain('not shown');
    expect(said).toContain('which is in PEM form itself; expected the name of its file');
    expect(said).not.toContain('hunter2');
  });
});

it('an upper-case secret between braces is no name', () => {
  const found = problems(`admin: { token: "\${A1B2C3D4E5F60718293A4B5C6D7E8F90}" }`).join();
  expect(found).toContain('takes a variable whose name is not shown from the environment');
});

it('texts that are long for no name are hidden at once, whatever is in them', () => {
  for (const text of [':'.repeat(200_000), 'sig'.repeat(70_000)])
    expect(problems(`admin: { host: "${text}" }`).join()).toContain('a value that is not shown');
});

it('a number may be a secret, under a key that is misspelt', () => {
  expect(problems('admin: { tokn: 815162342 }').join()).not.toContain('815162342');
});

it.each(['admin: &a { port: 0, b: *a }', 'admin: &a { b: [1, { c: *a }] }', '&a [*a]'])(
  'what contains itself is refused: %s',
  yaml => {
    expect(problems(yaml)).toEqual([
      expect.stringMatching(/^line 1: .* refers by "\*" to what it is in itself$/),
    ]);
  },
);

it('many references to parts of the file are read at once', () => {
  const buckets = Array.from({ length: 90 }, (_, at) => `    - &b${at} { keys: ["${at}/**"], ttl: 1h }\n`);
  const references = Array.from({ length: 8_000 }, (_, at) => `    - *b${at % 90}\n`);
  const yaml = `buckets:\n  photos:\n    rules:\n${[...buckets, ...references].join('')}`;
  expect(problems(`${yaml}    - *c\n`)).toEqual([
    'line 8094: buckets.photos.rules[8090] begins with "*", which refers to nothing; write it in quotes',
  ]);
});

it.each([
  ['a name that is used again', 'a: [&x 1, *x, &x 2, *x]\nworkers: *x', 'a is an unknown key'],
  [
    'a name before it is given',
    'workers: *x\na: &x 1',
    'line 1: workers begins with "*", which refers to nothing',
  ],
  [
    'a name below itself that was given before',
    'a: &x 1\nb: &x { c: *x }',
    'line 2: b.c refers by "*" to what it is in itself',
  ],
])('what "*" refers to is as YAML has it: %s', (_, yaml, expected) => {
  expect(problems(yaml)[0]).toContain(expected);
});

it('the parser prints no warning, which would quote the file', () => {
  const warned = vi.spyOn(process, 'emitWarning');
  expect(problems('? { a: hunter2 }\n: 1').length).toBeGreaterThan(0);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

it.each([
  ['http://127.0.0.1:99999', 'holds "http://127.0.0.1:99999"'],
  ['s3.eu-west-1.amazonaws.com', 'holds "s3.eu-west-1.amazonaws.com"'],
  ['node1.internal-services.example.test', 'holds "node1.internal-services.example.test"'],
  [
    'http://minio.internal.example.test:9000/some/path',
    'holds "http://minio.internal.example.test:9000/some/path"',
  ],
  [
    'https://0a1b2c3d4e5f60718293.r2.example.test/bucket',
    'holds a URL at https://0a1b2c3d4e5f60718293.r2.example.test, whose rest is not shown',
  ],
  ['https://0a1b2c3d4e5f60718293.r2.example.test:99999', 'holds a value that is not shown'],
  ['ftp://0a1b2c3d4e5f60718293.example.test', 'holds a value that is not shown'],
])('an endpoint that is none is shown as far as it is no secret: %s', (endpoint, expected) => {
  const [found = ''] = problems(`backends: { main: { type: s3, endpoint: "${endpoint}" } }`);
  expect(found).toContain(`backends.main.endpoint ${expected}`);
});

it.each([
  ['buckets: { __proto__: { backend: main, access: public } }', 'buckets.__proto__'],
  ['__proto__: { workers: 2 }', '__proto__'],
  ['buckets: { photos: { rules: [{ __proto__: 1 }] } }', 'buckets.photos.rules[0].__proto__'],
  [
    'backends: { main: { type: s3, endpoint: "http://x", __proto__: { region: y } } }',
    'backends.main.__proto__',
  ],
])('a key that the schema would pass over is an error: %s', (yaml, path) => {
  expect(problems(yaml)).toEqual([`${path} is not a name that can stand here`]);
});

it('names that every object has are names like others', () => {
  const config = parseConfig(
    `backends: { constructor: { type: s3, endpoint: "http://x" } }
buckets: { toString: { backend: constructor, access: verify } }`,
    {},
  );
  expect(config.buckets.toString).toMatchObject({ backend: 'constructor' });
  expect(problems(bucket('access: verify').replace('backend: main', 'backend: constructor'))).toEqual([
    'buckets.photos.backend holds "constructor"; expected main',
  ]);
  expect(problems(bucket('access: verify, constructor: 1'))[0]).toContain('constructor is an unknown key');
});

it('the environment has only what was set in it', () => {
  const environment = { ...process.env } as Record<string, string>;
  expect(problems(`state: { directory: "\${constructor}" }`, environment)).toEqual([
    `state.directory takes \${constructor} from the environment, where it is not set`,
  ]);
  expect(parseConfig(`state: { directory: "\${toString:-here}" }`, {}).state.directory).toBe('here');
});

it.each([
  ['access: pubic', 'access holds "pubic"; expected public, verify; did you mean public?'],
  ['access: Verify', 'access holds "Verify"; expected public, verify; did you mean verify?'],
  ['access: anonymous', 'access holds "anonymous"; expected public, verify'],
  [
    'access: public, cache: { mode: bypas }',
    'cache.mode holds "bypas"; expected cache, revalidate, bypass; did you mean bypass?',
  ],
])('a value that is misspelt is found: %s', (settings, message) => {
  expect(problems(bucket(settings))).toEqual([`buckets.photos.${message}`]);
});

it('a key that is misspelt is found, and names that are far from all are not', () => {
  expect(problems('amdin: {}')[0]).toMatch(/; did you mean admin\?$/);
  expect(problems(bucket('access: public, cache: { ttlByStatsu: 1 }'))[0]).toMatch(
    /; did you mean ttlByStatus\?$/,
  );
  expect(problems('somethingElse: {}')[0]).not.toContain('did you mean');
});

it.each([
  ['GetObjet', 'did you mean GetObject?'],
  ['getobject', 'did you mean GetObject?'],
  ['s3:GetObject', 'did you mean GetObject?'],
  ['ListBucketVersions', 'did you mean ListObjectVersions?'],
  ['DropEverything', 'an action such as GetObject, or "*"'],
])('refuses the action %s, which no operation has', (action, hint) => {
  const grants = `anonymous: [{ actions: [GetObject, "${action}"] }]`;
  const path = 'buckets.photos.anonymous[0].actions[1]';
  const yaml = `backends: { main: { type: embedded, directory: d } }
buckets: { photos: { backend: main, access: public, ${grants} } }`;
  const [problem = '', ...more] = problems(yaml);
  expect(more).toEqual([]);
  expect(problem).toMatch(new RegExp(`^${path.replace(/[.[\]]/g, '\\$&')} holds "${action}"; expected `));
  expect(problem).toContain(hint);
  const ofClient = `clients: [{ accessKeyId: a, secretAccessKey: b, allow: [{ buckets: ["*"], actions: ["${action}"] }] }]`;
  expect(problems(ofClient)).toEqual([
    expect.stringContaining(`clients[0].allow[0].actions[0] holds "${action}"`),
  ]);
});

describe('a file that is no map', () => {
  it('is not shown, since its text may have secrets', () => {
    const lines = 'backends.main.endpoint = http://x\nsecretAccessKey = hunter2\n';
    expect(problems(lines)).toEqual([
      expect.stringMatching(/^the file holds a value that is not shown, a text of \d+ characters; expected/),
    ]);
  });

  it.each([
    ['UTF-16', Buffer.from('\ufefflisten: { port: 1 }', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('listen: { port: 1 }', 'utf16le')],
    ['Latin-1', Buffer.from('# gr\u00fcn', 'latin1')],
  ])('is not read as something else where it is %s', (_, bytes) => {
    const home = mkdtempSync(join(tmpdir(), 'tidegate-config-'));
    const file = join(home, 'g.yaml');
    writeFileSync(file, bytes);
    expect(() => checkFile(file, {})).toThrow('this file is no text in UTF-8');
    rmSync(home, { recursive: true });
  });
});

it('a key without a colon is told so', () => {
  expect(problems('backends:\n  main:\n    type s3\n    endpoint: x\n')).toEqual([
    'line 3: a key has to stand on one line and needs a colon and a blank after it',
  ]);
});
