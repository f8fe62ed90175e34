import { expect, it } from 'vitest';
import { configDifferences } from '../../../src/config/config-difference.ts';
import { keepFixed } from '../../../src/config/fixed-settings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const running = parseConfig(
  `
listen: { port: 1000 }
backends:
  own: { type: embedded, directory: /one }
  main: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none, keys: exact }
buckets: { photos: { backend: main, access: verify } }
`,
  {},
);
const embedded = new Map(Object.entries(running.backends).filter(([name]) => name === 'own'));

function left(yaml: string): string[] {
  const next = parseConfig(yaml, {});
  const taken = keepFixed(running, next, { blockLimitBytes: 2 ** 20, embedded });
  return configDifferences(taken, next).map(({ path }) => path);
}

const rest = 'backends: { own: { type: embedded, directory: /one } }';

it.each([
  ['listen: { port: 2000 }', 'listen'],
  ['listen: { port: 1000 }\nworkers: 3', 'workers'],
  ['listen: { port: 1000 }\nadmin: { port: 3000 }', 'admin.port'],
  ['listen: { port: 1000 }\nadmin: { token: t }', 'admin.token'],
  ['listen: { port: 1000 }\nadmin: { names: [a.test], eventsToken: t }', undefined],
  ['listen: { port: 1000, trustedProxies: [10.0.0.0/8], proxyProtocol: true }', undefined],
  ['listen: { path: /s, trustedProxies: [10.0.0.0/8] }', 'listen'],
  ['listen: { port: 1000 }\nstate: { directory: /elsewhere }', 'state.directory'],
  ['listen: { port: 1000 }\ncache: { memory: { size: 64MiB } }', 'cache.memory.size'],
  ['listen: { port: 1000 }\nlimits: { headers: 16KiB }', 'limits.headers'],
  ['listen: { port: 1000 }\ntracing: { endpoint: "http://127.0.0.1:1" }', 'tracing'],
  ['listen: { port: 1000 }\nlimits: { timeouts: { idle: 1m }, ratePerAddress: 1MiB }', undefined],
  ['listen: { port: 1000 }\nlimits: { url: 4KiB, requests: 5 }', undefined],
  ['listen: { port: 1000 }\nlog: { level: debug, access: false }', undefined],
  ['listen: { port: 1000 }\ndomain: s3.example.test', undefined],
  ['listen: { port: 1000 }\nadmin: { unreadyOnCritical: true }', undefined],
])('of %j it leaves %s', (yaml, path) => {
  expect(left(`${yaml}\n${rest}`).filter(each => each === path || path === undefined)).toEqual(
    path === undefined ? [] : [path],
  );
});

it('leaves the directory of an embedded store that runs, and takes over other backends', () => {
  const next = `
listen: { port: 1000 }
backends:
  own: { type: embedded, directory: /two }
  second: { type: embedded, directory: /three }
  main: { type: s3, endpoint: "http://127.0.0.1:2", credentials: none, keys: exact }
`;
  expect(left(next)).toEqual(['backends.own.directory']);
});

it('lets an embedded store become another kind of backend', () => {
  const next = `
listen: { port: 1000 }
backends: { own: { type: s3, endpoint: "http://127.0.0.1:2", credentials: none, keys: exact } }
`;
  expect(left(next)).toEqual([]);
});

it('leaves blocks that are larger than those the memory was divided for', () => {
  const next = `
listen: { port: 1000 }
backends: { main: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none, keys: exact } }
buckets:
  photos:
    { backend: main, access: verify, cache: { blockSize: 2MiB }, rules: [{ keys: ["a"], cache: { blockSize: 512KiB } }] }
`;
  expect(left(next)).toEqual(['buckets.photos.cache.blockSize']);
});

it('leaves larger blocks of a rule, too', () => {
  const next = `
listen: { port: 1000 }
backends: { main: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none, keys: exact } }
buckets:
  photos: { backend: main, access: verify, rules: [{ keys: ["a"], cache: { blockSize: 2MiB } }] }
`;
  expect(left(next)).toEqual(['buckets.photos.rules']);
});

const callbacksAt = (port: number) =>
  `alerts: { callbacks: { port: ${port}, url: "https://gw.example.test", token: { keys: "https://d.example.test/keys", subjects: { a: Ada } } } }`;

it.each([
  ['come', '', callbacksAt(1), 'alerts.callbacks'],
  ['go', callbacksAt(1), '', 'alerts.callbacks'],
  ['are at another port', callbacksAt(1), callbacksAt(2), 'alerts.callbacks.port'],
])('leaves card callbacks that %s', (_, before, after, path) => {
  const next = parseConfig(after, {});
  const taken = keepFixed(parseConfig(before, {}), next, { blockLimitBytes: 2 ** 20, embedded: new Map() });
  expect(configDifferences(taken, next).map(each => each.path)).toEqual([path]);
});

const files = { certificates: [{ cert: 'a.pem', key: 'a.key' }], clientCertificates: 'required' } as const;
const secure = {
  kind: 'tcp',
  host: '::',
  port: 1,
  tls: { ...files, http2: true, clientCa: 'ca.pem' },
} as const;
const plain = { kind: 'tcp', host: '::', port: 2 } as const;
const others = { ...secure.tls, certificates: [{ cert: 'b.pem', key: 'b.key' }], clientCa: 'b-ca.pem' };

it.each([
  ['other files', [{ ...secure, tls: others }, plain], true],
  ['no client certificates', [{ ...secure, tls: { ...others, clientCa: undefined } }, plain], false],
  ['no HTTP/2', [{ ...secure, tls: { ...others, http2: false } }, plain], false],
  ['another port', [{ ...secure, port: 3, tls: others }, plain], false],
  ['another order', [plain, { ...secure, tls: others }], false],
])('takes over the files of certificates alone: %s', (_, listen, isTaken) => {
  const before = { ...running, listen: [secure, plain] };
  const taken = keepFixed(before, { ...running, listen }, { blockLimitBytes: 2 ** 20, embedded });
  expect(taken.listen).toEqual([isTaken ? { ...secure, tls: others } : secure, plain]);
});

it('takes over whose word on clients counts at an address that stays', () => {
  const proxies = { trustedProxies: ['10.0.0.0/8'], proxyProtocol: true } as const;
  const socket = { kind: 'unix', path: '/s', mode: 0o660 } as const;
  const before = { ...running, listen: [{ ...secure, ...proxies }, plain, socket] };
  const listen = [secure, { ...plain, ...proxies }, { ...socket, mode: 0o600, ...proxies }];
  const taken = keepFixed(before, { ...running, listen }, { blockLimitBytes: 2 ** 20, embedded });
  expect(taken.listen).toEqual([secure, { ...plain, ...proxies }, { ...socket, ...proxies }]);
});

it('keeps the token of the admin port where the file has none any more', () => {
  const before = { ...running, admin: { ...running.admin, token: 'old' } };
  const after = (token?: string) =>
    keepFixed(
      before,
      { ...running, admin: { ...running.admin, ...(token && { token }) } },
      {
        ...{ blockLimitBytes: 2 ** 20, embedded },
      },
    ).admin.token;
  expect([after(), after('new')]).toEqual(['old', 'new']);
});
