import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorCode } from '../base/error-code.ts';
import { ConfigError } from './config-error.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { formatPath } from './problems.ts';

type Lookup = (host: string) => Promise<unknown>;

/**
 * Refuses names to listen at that stand for no address. One that cannot be looked up at the moment is not refused, nor is an address
 * that this machine does not have yet: another start may find them.
 *
 * @param source names the configuration in messages
 * @throws ConfigError
 */
export async function refuseUnknownHosts(
  { listen, admin, alerts }: Pick<GatewayConfig, 'listen' | 'admin' | 'alerts'>,
  source: string,
  find: Lookup = lookup,
): Promise<void> {
  const hosts: (readonly [path: readonly PropertyKey[], host: string])[] = listen.flatMap((address, index) =>
    address.kind === 'tcp' ? [[listen.length === 1 ? ['listen'] : ['listen', index], address.host]] : [],
  );
  hosts.push([['admin'], admin.host]);
  if (alerts.callbacks) hosts.push([['alerts', 'callbacks'], alerts.callbacks.host]);
  const isUnknown = await Promise.all(hosts.map(([, host]) => isUnknownHost(host, find)));
  const problems = hosts
    .filter((_, index) => isUnknown[index])
    .map(
      ([path]) =>
        `${formatPath([...path, 'host'])} is a name that is not known; expected an address of this machine, or a name of one`,
    );
  if (problems.length > 0) throw new ConfigError(source, problems);
}

/** Whether `host` is no address and, as far as resolvers say, no name of one either. */
export async function isUnknownHost(host: string, find: Lookup = lookup): Promise<boolean> {
  if (isIP(host) !== 0) return false;
  return find(host).then(
    () => false,
    error => errorCode(error) === 'ENOTFOUND',
  );
}
