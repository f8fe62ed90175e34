import { isIP } from 'node:net';
import type { GatewayConfig } from './gateway-config.ts';
import type { ConfigWarning } from './grant-warnings.ts';

type Backend = GatewayConfig['backends'][string];
type RemoteBackend = Exclude<Backend, { readonly type: 'embedded' }>;

/** Hosts of Amazon S3: what comes before its name, and the region. */
const amazon = /^(?:(.+)\.)?s3(?:\.dualstack)?[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/;

/** Warns of endpoints that are no backend: the gateway itself, another region, or a single bucket. */
export function* endpointWarnings({
  backends,
  listen,
}: Pick<GatewayConfig, 'backends' | 'listen'>): Generator<ConfigWarning> {
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type === 'embedded') continue;
    const path = ['backends', name, 'endpoint'];
    const url = new URL(backend.endpoint);
    if (listen.some(listener => leadsTo(url, listener)))
      yield { path, consequence: 'it is the address that the gateway listens on: it would ask itself' };
    if (backend.type === 's3') yield* ofAmazon(name, backend, url.hostname);
  }
}

function* ofAmazon(
  name: string,
  { region, addressing }: Extract<RemoteBackend, { readonly type: 's3' }>,
  host: string,
): Generator<ConfigWarning> {
  const [, bucket, ofHost] = amazon.exec(host) ?? [];
  if (ofHost === undefined) return;
  if (ofHost !== region) {
    const consequence = `requests are signed for ${region}, and the endpoint is in ${ofHost}, which refuses them`;
    yield { path: ['backends', name, 'region'], consequence };
  }
  if (bucket !== undefined && addressing === 'path') {
    const consequence = `its host begins with the name of a bucket (${bucket}), which is put before each path as well; the name of the bucket belongs to buckets.<name>.bucket`;
    yield { path: ['backends', name, 'endpoint'], consequence };
  }
}

/** Whether what is sent to `url` comes to this listener, as far as names tell. */
function leadsTo({ protocol, port, hostname }: URL, listener: GatewayConfig['listen'][number]): boolean {
  if (listener.kind !== 'tcp') return false;
  const asked = Number(port || (protocol === 'https:' ? 443 : 80));
  const host = hostname.replace(/^\[|\]$/g, '');
  const isEqual = host === listener.host;
  return asked === listener.port && (isEqual || (isOwn(host) && isReachedByOwn(listener.host)));
}

/** The addresses of the machine for itself. */
function isOwn(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isReachedByOwn(host: string): boolean {
  return isOwn(host) || host === '0.0.0.0' || host === '::';
}
