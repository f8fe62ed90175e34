import { createServer } from 'node:net';
import { ListenError } from '../base/listen-error.ts';

/**
 * Binds the port alone for a moment and gives its number, which settles port 0 for all workers at once.
 * Workers share their port, so without this a second instance would silently share it too.
 * @throws ListenError when somebody else has it
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
