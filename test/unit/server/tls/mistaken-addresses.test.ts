import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/base/logger.ts';
import type { TlsMaterial } from '../../../../src/server/tls/tls-material.ts';
import { localIdentity } from '../../../support/local-identity.ts';
import { listenSecurely } from '../../../support/secure-listener.ts';

/** A listener whose log is kept. */
async function start(tls?: TlsMaterial) {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const plain = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;
  const { port } = await listenSecurely(
    (_request, response) => void response.end('answer'),
    { logger, ...(tls ? {} : { addresses: [plain] }) },
    tls,
  );
  return { port, logged: () => lines.map(line => JSON.parse(line)) };
}

const run = promisify(execFile);
const secure = localIdentity().tls;

it('plain HTTP sent to a TLS address is told so in plain HTTP, and logged', async () => {
  const { port, logged } = await start(secure);
  const socket = connectPlain(port, '127.0.0.1');
  socket.write('GET /secret HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(logged()).toMatchObject([
    { code: 'ERR_SSL_HTTP_REQUEST', remoteAddress: '127.0.0.1', msg: 'a TLS handshake failed' },
  ]);
  expect(JSON.stringify(logged())).not.toContain('secret');
});

it('TLS sent to a plain address is named in the log', async () => {
  const { port, logged } = await start();
  const [failure] = await once(connect({ port, host: '127.0.0.1' }), 'error');
  expect(failure).toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
  expect(logged()).toMatchObject([
    { remoteAddress: '127.0.0.1', msg: 'refused a TLS handshake: this address has no TLS' },
  ]);
});

it('what only begins as TLS does is not named so', async () => {
  const { port, logged } = await start();
  const socket = connectPlain(port, '127.0.0.1');
  socket.write('\x16GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(logged()).toMatchObject([{ msg: 'refused a malformed HTTP request' }]);
});

it('a client that does not take the certificate is named with its address, its reason and the name that it asked for', async () => {
  const { port, logged } = await start(secure);
  const url = `https://unknown.example.test:${port}`;
  const options = ['-sS', '--connect-to', `::127.0.0.1:${port}`, '--tls-max', '1.2'];
  await expect(run('curl', [...options, url])).rejects.toThrow();
  expect(logged()).toMatchObject([
    {
      remoteAddress: '127.0.0.1',
      serverName: 'unknown.example.test',
      code: expect.stringMatching(/^ERR_SSL_/),
      why: expect.stringMatching(/alert/),
    },
  ]);
});
