import type { Lab } from '../lab.ts';
import { type Contender, pinned } from './contender.ts';

/** Tidegate with one worker, the way people start it. */
export async function startGateway(lab: Lab, accessLog: boolean): Promise<Contender> {
  const gateway = await lab.gateway({ launcher: pinned, accessLog, memory: '512MiB' });
  return {
    name: accessLog ? 'Tidegate, access log on' : 'Tidegate',
    url: gateway.url,
    pid: gateway.pid,
    stop: () => gateway.stop(),
  };
}
