/** The address is in use or cannot be bound; the message is one line for the operator. */
export class ListenError extends Error {
  readonly code: string;
  readonly #address: string;
  readonly #cause: NodeJS.ErrnoException;

  /**
   * @param address as `formatAddress` gives it, or the path of a unix socket
   * @param key of the configuration that holds it
   */
  constructor(address: string, cause: NodeJS.ErrnoException, key?: string) {
    const place = key === undefined ? '' : ` (${key})`;
    super(`cannot listen on ${address}: ${reasonOf(cause)}${place}`, { cause });
    this.code = cause.code ?? 'LISTEN_FAILED';
    this.#address = address;
    this.#cause = cause;
  }

  /** For `catch`: throws a ListenError with `key` in its message, and anything else as it is. */
  static naming(key: string): (error: unknown) => never {
    return error => {
      throw error instanceof ListenError ? new ListenError(error.#address, error.#cause, key) : error;
    };
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
