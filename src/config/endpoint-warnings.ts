import { hostOf, isAnyAddress, isLoopbackHost } from '../http/host-address.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { BackendConfig, GatewayConfig } from './gateway-config.ts';

/** Hosts of Amazon S3: what comes before its name, and the region. */
const amazon = /^(?:(.+)\.)?s3(?:\.dualstack)?[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/;

/** What is no such name may be anything, from the environment as well. */
const regionName = /^[a-z]{2}(?:-[a-z]+)+-\d$/;

/** Warns of endpoints that are no backend: the gateway itself, another region, or a single bucket. */
export function* endpointWarnings({
  backends,
  listen,
}: Pick<GatewayConfig, 'backends' | 'listen'>): Generator<ConfigWarning> {
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type === 'embedded') continue;
    const path = ['backends', name, 'endpoint'];
    if (listen.some(listener => leadsTo(backend.endpoint, listener)))
      yield { path, consequence: 'it is the address that the gateway listens on: it would ask itself' };
    if (backend.type === 's3') yield* ofAmazon(name, backend);
  }
}

function* ofAmazon(
  name: string,
  { endpoint, region, addressing }: Extract<BackendConfig, { readonly type: 's3' }>,
): Generator<ConfigWarning> {
  const [, bucket, ofHost] = amazon.exec(hostOf(endpoint)) ?? [];
  if (ofHost === undefined) return;
  if (ofHost !== region) {
    const consequence = `requests are signed for ${regionName.test(region) ? region : 'another region'}, and the endpoint is in ${ofHost}, which refuses them`;
    yield { path: ['backends', name, 'region'], consequence };
  }
  if (bucket !== undefined) {
    const again = addressing === 'path' ? 'before each path' : 'before the host';
    const consequence = `its host begins with the name of a bucket, and a name is put ${again} as well; the name of the bucket belongs to buckets.<name>.bucket`;
    yield { path: ['backends', name, 'endpoint'], consequence };
  }
}

/** Whether what is sent to `endpoint` comes to this listener, as far as names tell. */
function leadsTo(endpoint: string, listener: GatewayConfig['listen'][number]): boolean {
  if (listener.kind !== 'tcp') return false;
  const { protocol, port } = new URL(endpoint);
  const asked = Number(port || (protocol === 'https:' ? 443 : 80));
  return asked === listener.port && namesSameAddress(hostOf(endpoint), listener.host);
}

/** Whether `asked` surely names `host`, perhaps otherwise: a loopback address where all are listened on, or `localhost`. */
function namesSameAddress(asked: string, host: string): boolean {
  if (asked === host) return true;
  if (isAnyAddress(host)) return isLoopbackHost(asked);
  return (asked === 'localhost' && isLoopbackHost(host)) || (host === 'localhost' && isLoopbackHost(asked));
}
