import { createServer } from 'node:http';
import { createLogger } from '../../src/base/logger.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { ClientLimits } from '../../src/server/client-limits.ts';
import { listenHttp } from '../../src/server/http-listener.ts';
import type { TcpAddress } from '../../src/server/listen-address.ts';
import type { TlsMaterial } from '../../src/server/tls/tls-material.ts';
import { defaultLimits } from './client-limits.ts';

export interface GatewayListenerOptions {
  /** Default: a server of node:http. `worker` is the listener that workers have. */
  readonly listener?: 'node' | 'worker';
  /** Such a listener also serves HTTP/2, on another port with this certificate. */
  readonly tls?: TlsMaterial;
  /** What such a listener demands of clients. Default: as workers want it. */
  readonly listenerLimits?: Partial<ClientLimits>;
}

export interface GatewayListener {
  readonly port: number;
  /** 0 without TLS. */
  readonly securePort: number;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Listens for `gateway` on an ephemeral port. */
export function listenFor(gateway: Gateway, options: GatewayListenerOptions): Promise<GatewayListener> {
  return options.listener === 'worker' ? listenAsWorker(gateway, options) : listenBare(gateway);
}

async function listenAsWorker(
  gateway: Gateway,
  { listenerLimits, tls }: GatewayListenerOptions,
): Promise<GatewayListener> {
  const listen = (more: Pick<TcpAddress, 'tls'>) =>
    listenHttp({
      addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0, ...more }],
      ...{ reusePort: false, limits: { ...defaultLimits, ...listenerLimits } },
      logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
      handle: gateway.handle,
      takesBody: gateway.takesBody,
      answerUnreadable: (why, nowMs) => gateway.answerUnreadable(why, nowMs),
    });
  const listener = await listen({});
  const secure = tls && (await listen({ tls }));
  return {
    port: listener.port,
    securePort: secure?.port ?? 0,
    close: async () => {
      await Promise.all([listener.drain(0), secure?.drain(0)]);
    },
  };
}

async function listenBare({ handle }: Gateway): Promise<GatewayListener> {
  const server = createServer({ keepAliveTimeout: 60_000, requireHostHeader: false }, handle);
  server.on('checkExpectation', handle);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('the server does not listen');
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  };
  return { port: address.port, securePort: 0, close };
}
