/** The address is in use or cannot be bound; the message is one line for the operator. */
export class ListenError extends Error {
  readonly code: string;

  /** @param address as `formatAddress` gives it, or the path of a unix socket */
  constructor(address: string, cause: NodeJS.ErrnoException) {
    super(`cannot listen on ${address}: ${reasonOf(cause)}`, { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
  }
}

/** `host:port` as written in a URL. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is in use, perhaps by another instance';
  if (error.code === 'EACCES') return 'this user may not listen there';
  if (error.code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  if (error.code === 'ENOTFOUND') return 'this host name is not known';
  if (error.code === 'EAI_AGAIN') return 'this host name cannot be looked up at the moment';
  return error.message;
}
