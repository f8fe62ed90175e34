import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { LimitedLines } from '../../../../src/base/limited-lines.ts';
import { createLogger } from '../../../../src/base/logger.ts';
import { answerPlainly } from '../../../../src/server/refuse-unreadable.ts';
import { TlsAcceptor } from '../../../../src/server/tls/tls-acceptor.ts';
import { localIdentity } from '../../../support/local-identity.ts';

it('closes a connection whose handshake is not complete within its time, also one that has begun it, without a line', async () => {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const acceptor = new TlsAcceptor({
    ...{ material: localIdentity().tls, handshakeLimitMs: 50 },
    ...{ logger, lines: new LimitedLines(logger, systemClock) },
    answerUnreadable: why => answerPlainly(why, 0),
    onSecure: () => {
      throw new Error('nobody completes a handshake here');
    },
  });
  const server = createServer(socket => acceptor.accept(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  // the second one sends the beginning of a record
  const closed = ['', '\x16\x03\x01\x02\x00'].map(async begun => {
    const socket = connect({ port: port ?? 0, host: '127.0.0.1' });
    onTestFinished(() => void socket.destroy());
    socket.write(begun, 'latin1');
    await once(socket.resume(), 'close');
    return socket.destroyed;
  });
  expect(await Promise.all(closed)).toEqual([true, true]);
  // health checks only connect
  expect(lines).toEqual([]);
});
