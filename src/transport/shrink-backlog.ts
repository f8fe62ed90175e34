import type { Server } from 'node:net';

/**
 * Lets the accept queue of a listening socket take one connection at most; the connections in it stay. Linux ignores
 * further ones while it is full, and their clients try again after a second (listen(2) may be called again to change the
 * backlog; net.Server has no method for it). Does nothing where the handle of `server` is another one than expected.
 */
export function shrinkBacklog(server: Server): void {
  const handle: unknown = Reflect.get(server, '_handle');
  if (canListen(handle)) handle.listen(0);
}

function canListen(handle: unknown): handle is { listen(backlog: number): number } {
  return (
    typeof handle === 'object' && handle !== null && 'listen' in handle && typeof handle.listen === 'function'
  );
}
