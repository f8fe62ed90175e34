import { createServer } from 'node:net';
import { ListenError } from '../base/listen-error.ts';

/**
 * Binds the port exclusively for a moment and returns its number. This turns port 0 into one number for all workers,
 * and detects a second instance: workers bind with SO_REUSEPORT, so it could otherwise share the port unnoticed.
 * @throws ListenError when the port is in use
 */
export function claimPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', error => reject(new ListenError(host, port, error)));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      probe.close(() => resolve(bound));
    });
  });
}

/** Whether several sockets of this process may share a port (Node.js, `server.listen`, reusePort). */
export function sharesPorts(platform: NodeJS.Platform): boolean {
  return ['linux', 'freebsd', 'sunos', 'aix'].includes(platform);
}
