import { existsSync, lstatSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { formatAddress, ListenError } from '../base/listen-error.ts';

type Claimed =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/**
 * Makes sure that no other instance listens on `addresses`; gives them with their ports, where these were 0.
 * @param keyOf the key of the configuration that holds the address at an index
 * @throws ListenError when one is in use or cannot be bound
 */
export async function claimAddresses<Address extends Claimed>(
  addresses: readonly Address[],
  keyOf: (index: number) => string,
): Promise<Address[]> {
  const claimed: Address[] = [];
  for (const [index, address] of addresses.entries())
    claimed.push(await claim(address).catch(ListenError.naming(keyOf(index))));
  return claimed;
}

async function claim<Address extends Claimed>(address: Address): Promise<Address> {
  if (address.kind === 'tcp') return { ...address, port: await claimPort(address.host, address.port) };
  await claimPath(address.path);
  return address;
}

/**
 * Binds the port exclusively for a moment and returns its number. This turns port 0 into one number for all workers,
 * and detects a second instance: workers bind with SO_REUSEPORT, so it could otherwise share the port unnoticed.
 * @throws ListenError when the port is in use
 */
export function claimPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', error => reject(new ListenError(formatAddress(host, port), error)));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      probe.close(() => resolve(bound));
    });
  });
}

/**
 * A socket file without a listener was left behind by a process that was killed; it is replaced later. Anything else at
 * the path stays as it is.
 */
async function claimPath(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return claimName(path);
  if (!stats.isSocket())
    throw new ListenError(path, new Error('there is a file at this path that is no socket'));
  const failure = await connectionFailure(path);
  if (failure === undefined) throw new ListenError(path, new Error('another instance listens there'));
  const code = errorCode(failure);
  if (code !== 'ECONNREFUSED' && code !== 'ENOENT') throw new ListenError(path, failure);
}

/** Binding says of a folder that is not there that it may not be written. */
function claimName(path: string): void {
  if (!existsSync(dirname(path))) throw new ListenError(path, new Error('there is no such folder'));
}

/** Undefined when somebody accepts connections at `path`. */
function connectionFailure(path: string): Promise<Error | undefined> {
  return new Promise(resolve => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once('error', resolve);
  });
}

/** Whether several sockets of this process may share a port (Node.js, `server.listen`, reusePort). */
export function sharesPorts(platform: NodeJS.Platform): boolean {
  return ['linux', 'freebsd', 'sunos', 'aix'].includes(platform);
}
