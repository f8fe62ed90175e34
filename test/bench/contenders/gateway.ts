import type { GatewaySetup } from '../../support/gateway-process.ts';
import type { Lab } from '../lab.ts';
import { type Contender, pinned } from './contender.ts';

/** How one gateway differs from the way people start it: one worker, no access log, no TLS. */
type Difference = Pick<GatewaySetup, 'accessLog' | 'tls' | 'workers'>;

/** @param name of what differs */
export async function startGateway(lab: Lab, difference: Difference = {}, name?: string): Promise<Contender> {
  const gateway = await lab.gateway({ launcher: pinned, memory: '512MiB', ...difference });
  return {
    name: name === undefined ? 'Tidegate' : `Tidegate, ${name}`,
    url: gateway.url,
    pid: gateway.pid,
    stop: () => gateway.stop(),
  };
}
