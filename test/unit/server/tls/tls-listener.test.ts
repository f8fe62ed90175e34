import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { HttpListener, HttpListenerOptions } from '../../../../src/server/http-listener.ts';
import { readTls, type TlsFiles, type TlsMaterial } from '../../../../src/server/tls/tls-material.ts';
import { TestAuthority } from '../../../support/certificates.ts';
import { defaultLimits } from '../../../support/client-limits.ts';
import { listenSecurely } from '../../../support/secure-listener.ts';

const run = promisify(execFile);
const authority = new TestAuthority();
const local = authority.issue(['localhost', '127.0.0.1']);

afterAll(() => authority.remove());

function materialOf(files: Partial<TlsFiles> = {}): TlsMaterial {
  const read = readTls({ certificates: [local], clientCertificates: 'required', http2: false, ...files });
  if (read.kind === 'problems') throw new Error(JSON.stringify(read.problems));
  return read.material;
}

const start = (tls: TlsMaterial, options: Partial<HttpListenerOptions> = {}) =>
  listenSecurely((asked, response) => void response.end(`answer to ${asked.url}`), options, tls);

interface AskOptions {
  readonly servername?: string;
  readonly cert?: string;
  readonly key?: string;
}

function connecting({ port }: HttpListener, options: object = {}): TLSSocket {
  const socket = connect({ port, host: '127.0.0.1', ca: authority.caPem, ...options });
  onTestFinished(() => void socket.destroy());
  return socket;
}

async function open(listener: HttpListener, options: object = {}): Promise<TLSSocket> {
  const socket = connecting(listener, options);
  await once(socket, 'secureConnect');
  return socket;
}

const curl = (listener: HttpListener, ...args: string[]) =>
  run('curl', [
    '-sS',
    '--fail',
    '--cacert',
    authority.ca,
    ...args,
    `https://localhost:${listener.port}/object`,
  ]);

/** The names in the certificate that the listener shows to who asks for `servername`. */
async function namesShown(listener: HttpListener, options: AskOptions): Promise<string | undefined> {
  const socket = await open(listener, { ...options, checkServerIdentity: () => undefined });
  return socket.getPeerCertificate().subjectaltname;
}

it.each([['--tlsv1.2', '--tls-max', '1.2'], ['--tlsv1.3']])(
  'curl gets its answer with %s %s %s',
  async (...args) => {
    const { stdout } = await curl(await start(materialOf()), ...args);
    expect(stdout).toBe('answer to /object');
  },
);

it('curl gets the same answer over HTTP/2 and HTTP/1.1', async () => {
  const listener = await start(materialOf({ http2: true }));
  for (const [option, version] of [
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ] as const) {
    const { stdout } = await curl(listener, option, '-w', ' over %{http_version}');
    expect(stdout).toBe(`answer to /object over ${version}`);
  }
});

it('TLS 1.1 is refused', async () => {
  const failure = await curl(
    await start(materialOf()),
    '--tlsv1.1',
    '--tls-max',
    '1.1',
    '--ciphers',
    'ALL:@SECLEVEL=0',
  )
    .then(() => undefined)
    .catch((error: Error) => error.message);
  expect(failure).toMatch(/protocol version|alert|unsupported/i);
});

it('the certificate is chosen by the server name: exact names, wildcards for one label, and the first for others', async () => {
  const exact = authority.issue(['a.example.test']);
  const wild = authority.issue(['*.example.test']);
  const listener = await start(materialOf({ certificates: [local, exact, wild] }));
  expect(await namesShown(listener, { servername: 'a.example.test' })).toBe('DNS:a.example.test');
  expect(await namesShown(listener, { servername: 'B.EXAMPLE.test' })).toBe('DNS:*.example.test');
  expect(await namesShown(listener, { servername: 'a.b.example.test' })).toContain('DNS:localhost');
  expect(await namesShown(listener, { servername: '' })).toContain('DNS:localhost');
});

it('of several certificates for a name the first is shown', async () => {
  const [one, two] = [authority.issue(['same.test', 'one.test']), authority.issue(['same.test', 'two.test'])];
  const listener = await start(materialOf({ certificates: [local, one, two] }));
  expect(await namesShown(listener, { servername: 'same.test' })).toBe('DNS:same.test, DNS:one.test');
  expect(await namesShown(listener, { servername: 'two.test' })).toBe('DNS:same.test, DNS:two.test');
});

it('names in capitals are found, in a certificate and in the configuration', async () => {
  const inFile = authority.issue(['CAPITALS.test']);
  const configured = { ...authority.issue(['a.example.test']), names: ['*.Configured.TEST'] };
  const listener = await start(materialOf({ certificates: [local, inFile, configured] }));
  expect(await namesShown(listener, { servername: 'capitals.test' })).toBe('DNS:CAPITALS.test');
  expect(await namesShown(listener, { servername: 'a.configured.test' })).toBe('DNS:a.example.test');
});

it('without http2, no client gets HTTP/2: one that speaks both has HTTP/1.1, and one that insists is refused', async () => {
  const listener = await start(materialOf({ http2: false }));
  const both = await open(listener, { ALPNProtocols: ['h2', 'http/1.1'] });
  expect(both.alpnProtocol).toBe('http/1.1');
  const [failure] = await once(connecting(listener, { ALPNProtocols: ['h2'] }), 'error');
  expect(failure).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' });
});

it('names of the configuration replace those in the certificate', async () => {
  const other = { ...authority.issue(['a.example.test']), names: ['b.example.test'] };
  const listener = await start(materialOf({ certificates: [local, other] }));
  expect(await namesShown(listener, { servername: 'a.example.test' })).toContain('DNS:localhost');
  expect(await namesShown(listener, { servername: 'b.example.test' })).toBe('DNS:a.example.test');
});

it('new certificates are shown on new connections, and open ones go on', async () => {
  const listener = await start(materialOf());
  const before = await open(listener);
  const renewed = authority.issue(['localhost', 'renewed.test']);
  const tls = materialOf({ certificates: [renewed] });
  listener.useCertificates([{ kind: 'tcp', host: '127.0.0.1', port: 0, tls }]);
  for (const servername of ['localhost', ''])
    expect(await namesShown(listener, { servername })).toContain('renewed.test');
  before.write('GET /before HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(await text(before)).toContain('answer to /before');
});

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  '%s sessions are resumed by another listener with the same ticket keys',
  async version => {
    const material = materialOf({ certificates: [local, authority.issue(['other.test'])] });
    const [first, second] = [await start(material), await start(material)];
    const options = { maxVersion: version, servername: 'localhost' };
    const [session] = await once(connecting(first, options), 'session');
    expect((await open(second, { ...options, session })).isSessionReused()).toBe(true);
    const stranger = await start(materialOf());
    expect((await open(stranger, { ...options, session })).isSessionReused()).toBe(false);
  },
);

it('a client without a certificate is refused where one is required, and one of another authority always', async () => {
  const listener = await start(materialOf({ clientCa: authority.ca }));
  const { cert, key } = authority.issue(['client.test']);
  const { stdout } = await curl(listener, '--cert', cert, '--key', key);
  expect(stdout).toBe('answer to /object');
  await expect(curl(listener)).rejects.toThrow();
  const foreign = new TestAuthority('Others');
  onTestFinished(() => void foreign.remove());
  const stranger = foreign.issue(['client.test']);
  await expect(curl(listener, '--cert', stranger.cert, '--key', stranger.key)).rejects.toThrow();
  const optional = await start(materialOf({ clientCa: authority.ca, clientCertificates: 'optional' }));
  expect((await curl(optional)).stdout).toBe('answer to /object');
  await expect(curl(optional, '--cert', stranger.cert, '--key', stranger.key)).rejects.toThrow();
});

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a client of %s that lacks a certificate is told so, and nothing of it is served',
  async maxVersion => {
    let served = 0;
    const { port } = await listenSecurely(() => void served++, {}, materialOf({ clientCa: authority.ca }));
    const socket = connect({ port, host: '127.0.0.1', ca: authority.caPem, maxVersion });
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(served).toBe(0);
  },
);

it('a client of HTTP/2 without a certificate gets no text of HTTP/1.1', async () => {
  const listener = await start(materialOf({ clientCa: authority.ca, http2: true }));
  let received = '';
  const socket = await open(listener, { ALPNProtocols: ['h2'] });
  socket
    .on('error', () => undefined)
    .on('data', chunk => {
      received += chunk;
    });
  await once(socket, 'close');
  expect([socket.alpnProtocol, received]).toEqual(['h2', '']);
});

it('clients without a certificate may go at any moment', async () => {
  const listener = await start(materialOf({ clientCa: authority.ca }));
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const plain = connectPlain(listener.port, '127.0.0.1');
      const secure = connecting(listener, { socket: plain });
      secure.on('error', () => undefined);
      await once(secure, 'secureConnect');
      secure.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      plain.resetAndDestroy();
    }),
  );
  const { cert, key } = authority.issue(['client.test']);
  expect((await curl(listener, '--cert', cert, '--key', key)).stdout).toBe('answer to /object');
});

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a %s session begun without a certificate is not resumed where one is required; one begun with it is',
  async maxVersion => {
    const optional = materialOf({ clientCa: authority.ca, clientCertificates: 'optional' });
    const required = { ...materialOf({ clientCa: authority.ca }), ticketKeys: optional.ticketKeys };
    const [lenient, strict] = [await start(optional), await start(required)];
    const { cert, key } = authority.issue(['client.test']);
    const own = { cert: readFileSync(cert), key: readFileSync(key) };
    const answerAfter = async (identity: object) => {
      const [session] = await once(await connecting(lenient, { maxVersion, ...identity }), 'session');
      const resumed = await open(strict, { maxVersion, session, ...identity });
      const isReused = resumed.isSessionReused();
      resumed.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      const answer = await text(resumed).catch(() => 'closed');
      return { isReused, isAnswered: answer.includes('answer to /') };
    };
    expect(await answerAfter({})).toEqual({ isReused: true, isAnswered: false });
    expect(await answerAfter(own)).toEqual({ isReused: true, isAnswered: true });
  },
);

it('client certificates that become required or optional are so for new connections', async () => {
  const listener = await start(materialOf({ clientCa: authority.ca, clientCertificates: 'optional' }));
  const become = (clientCertificates: TlsFiles['clientCertificates']) => {
    const tls = materialOf({ clientCa: authority.ca, clientCertificates });
    listener.useCertificates([{ kind: 'tcp', host: '127.0.0.1', port: 0, tls }]);
  };
  expect((await curl(listener)).stdout).toBe('answer to /object');
  become('required');
  await expect(curl(listener)).rejects.toThrow();
  become('optional');
  expect((await curl(listener)).stdout).toBe('answer to /object');
});

it.each(['localhost', ''])(
  'an authority that is renewed is the one whose clients are accepted, as %j too',
  async servername => {
    const other = new TestAuthority('The next one');
    onTestFinished(() => other.remove());
    const clients = [authority, other].map(each => each.issue(['client.test']));
    const listener = await start(materialOf({ clientCa: authority.ca }));
    const areAnswered = () =>
      Promise.all(
        clients.map(async ({ cert, key }) => {
          const identity = { cert: readFileSync(cert), key: readFileSync(key), servername };
          const socket = connecting(listener, { ...identity, checkServerIdentity: () => undefined });
          socket.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
          return (await text(socket).catch(() => 'closed')).includes('answer to /');
        }),
      );
    expect(await areAnswered()).toEqual([true, false]);
    const tls = materialOf({ clientCa: other.ca });
    listener.useCertificates([{ kind: 'tcp', host: '127.0.0.1', port: 0, tls }]);
    expect(await areAnswered()).toEqual([false, true]);
  },
);

it('connections beyond the limit of a client are closed before their handshake', async () => {
  const listener = await start(materialOf(), { limits: { ...defaultLimits, connectionsPerAddress: 1 } });
  const first = await open(listener);
  const [failure] = await once(connecting(listener), 'error');
  expect(failure).toBeInstanceOf(Error);
  first.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(await text(first)).toContain('answer to /');
  const third = request({ port: listener.port, host: '127.0.0.1', ca: authority.caPem, agent: false });
  third.end();
  const [response] = await once(third, 'response');
  expect(await text(response)).toBe('answer to /');
});
