import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectSecurely } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import type { UnreadableRequest } from '../../../src/http/unreadable-request.ts';
import type { HttpListenerOptions } from '../../../src/server/http-listener.ts';
import { answerPlainly, type RenderUnreadable } from '../../../src/server/refuse-unreadable.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { localIdentity } from '../../support/local-identity.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { listenSecurely } from '../../support/secure-listener.ts';

const { tls, caPem } = localIdentity();
const address = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;

async function start(options: Partial<HttpListenerOptions> = {}) {
  const counted: UnreadableRequest[] = [];
  const onRefused = (why: UnreadableRequest) => void counted.push(why);
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const answerUnreadable: RenderUnreadable = (why, nowMs) => ({
    ...answerPlainly(why, nowMs),
    requestId: `id of ${why}`,
  });
  const { port } = await listenSecurely((_request, response) => void response.end('answer'), {
    ...{ addresses: [address], onRefused, answerUnreadable, logger: createLogger({ level: 'info', sink }) },
    ...options,
  });
  const open = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  const ids = () => lines.map(line => JSON.parse(line).requestId);
  return { port, counted, lines, ids, open };
}

it.each([
  ['GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', []],
  ['hello?\r\n\r\n', ['malformed']],
  [`GET / HTTP/1.1\r\nx: ${'y'.repeat(33 * 1024)}\r\n\r\n`, ['headers-too-large']],
  ['CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n', ['tunnel']],
])('counts why %j is refused, and logs it with the id that its client gets', async (request, reasons) => {
  const { counted, ids, open } = await start();
  const socket = open();
  socket.write(request);
  await text(socket).catch(() => '');
  expect(counted).toEqual(reasons);
  expect(ids()).toEqual(reasons.map(reason => `id of ${reason}`));
});

it('counts and logs heads that do not come in time', async () => {
  const timeouts = { ...defaultLimits.timeouts, headersMs: 20 };
  const { counted, ids, open } = await start({ limits: { ...defaultLimits, timeouts } });
  const socket = open();
  socket.write('GET / HTTP/1.1\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408/);
  expect(counted).toEqual(['too-slow']);
  expect(ids()).toEqual(['id of too-slow']);
});

it('counts and logs plain HTTP at a TLS address', async () => {
  const { counted, ids, open } = await start({ addresses: [{ ...address, tls }] });
  const socket = open();
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await text(socket);
  expect(counted).toEqual(['plain-http']);
  expect(ids()).toEqual(['id of plain-http']);
});

it.each([false, true])('counts connections beyond the limit of a client, over TLS: %s', async isSecure => {
  const limits = { ...defaultLimits, connectionsPerAddress: 1 };
  const { port, counted, open } = await start({
    ...{ limits, addresses: [isSecure ? { ...address, tls } : address] },
  });
  const first = isSecure ? connectSecurely({ port, host: '127.0.0.1', ca: caPem }) : open();
  onTestFinished(() => void first.destroy());
  await once(first, isSecure ? 'secureConnect' : 'connect');
  await text(open()).catch(() => '');
  expect(counted).toEqual(['too-many-connections']);
});

it('logs ten of these lines at once, and then how many were left out', async () => {
  const clock = new ManualClock();
  const { counted, lines, open } = await start({ clock, addresses: [{ ...address, tls }] });
  const sendPlainly = async () => {
    const socket = open();
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await text(socket);
  };
  for (let time = 0; time < 13; time++) await sendPlainly();
  expect([counted.length, lines.length]).toEqual([13, 10]);
  clock.advance(6_000);
  await sendPlainly();
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'ERR_SSL_HTTP_REQUEST', leftOut: 3 });
});
