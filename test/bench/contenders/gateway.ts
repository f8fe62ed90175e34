import type { IssuedCertificate } from '../../support/certificates.ts';
import type { Lab } from '../lab.ts';
import { type Contender, pinned } from './contender.ts';

/** Tidegate with one worker, the way people start it. */
export async function startGateway(
  lab: Lab,
  accessLog: boolean,
  tls?: IssuedCertificate,
): Promise<Contender> {
  const gateway = await lab.gateway({ launcher: pinned, accessLog, memory: '512MiB', ...(tls && { tls }) });
  return {
    name: `Tidegate${accessLog ? ', access log on' : ''}${tls ? ', TLS' : ''}`,
    url: gateway.url,
    pid: gateway.pid,
    stop: () => gateway.stop(),
  };
}
