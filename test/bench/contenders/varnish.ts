import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, startContender } from './contender.ts';

/** Varnish with memory for all objects several times over and one thread pool; everything else as it comes. */
export function startVarnish(storeUrl: string): Promise<Contender> {
  const { hostname, port: storePort } = new URL(storeUrl);
  return startContender('Varnish', (directory, port) => {
    const file = join(directory, 'bench.vcl');
    writeFileSync(
      file,
      `vcl 4.1;
backend store { .host = "${hostname}"; .port = "${storePort}"; }
sub vcl_backend_response { set beresp.ttl = 1h; }
`,
    );
    return [
      ...['varnishd', '-F', '-j', 'none', '-n', join(directory, 'work'), '-f', file],
      ...['-a', `127.0.0.1:${port}`, '-s', 'malloc,512m', '-p', 'thread_pools=1'],
    ];
  });
}
