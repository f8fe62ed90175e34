import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/logger.ts';
import { type HttpListener, type HttpListenerOptions, listenHttp } from '../../src/server/http-listener.ts';
import { defaultLimits } from './client-limits.ts';
import { localIdentity } from './local-identity.ts';

/** A listener with one TLS address, which is closed after the test. */
export async function listenSecurely(
  handle: HttpListenerOptions['handle'],
  options: Partial<HttpListenerOptions> = {},
  tls = localIdentity().tls,
): Promise<HttpListener> {
  const listener = await listenHttp({
    addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0, tls }],
    ...{ reusePort: false, limits: defaultLimits, logger: silentLogger(), handle },
    ...options,
  });
  onTestFinished(async () => {
    await listener.drain(0);
  });
  return listener;
}

/** An HTTP/2 session with a listener of the local identity, which is closed after the test. */
export async function openSession({ port }: HttpListener, options: object = {}): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${port}`, { ca: localIdentity().caPem, ...options });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  await once(session, 'connect');
  return session;
}

/** The whole answer to a request of a session. */
export async function answerOf(stream: ClientHttp2Stream) {
  const [headers] = await once(stream, 'response');
  return { headers, body: await buffer(stream) };
}
