import { createServer } from 'node:net';

/** The address is taken or cannot be bound; the message is one clear line for the operator. */
export class ListenError extends Error {
  readonly code: string;

  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${formatAddress(host, port)}: ${reasonOf(cause)}`, { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
  }
}

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

/** `host:port` as it stands in a URL. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether several sockets of this process may share a port (Node.js, `server.listen`, reusePort). */
export function sharesPorts(platform: NodeJS.Platform): boolean {
  return ['linux', 'freebsd', 'sunos', 'aix'].includes(platform);
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is in use, perhaps by another instance';
  if (error.code === 'EACCES') return 'this user may not use the port';
  if (error.code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  return error.message;
}
