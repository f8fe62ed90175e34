import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, startContender } from './contender.ts';

/** The log is read by a process below the server's, whose CPU time counts with it. */
const both = 'work=$1; shift; varnishncsa -n "$work" -t off -w /dev/null & exec "$@"';

/**
 * Varnish with memory for all objects several times over and one thread pool; everything else as it comes.
 *
 * @param hasLog whether varnishncsa writes an access log beside it
 */
export function startVarnish(storeUrl: string, hasLog = false): Promise<Contender> {
  const { hostname, port: storePort } = new URL(storeUrl);
  return startContender(hasLog ? 'Varnish, access log on' : 'Varnish', (directory, port) => {
    const file = join(directory, 'bench.vcl');
    writeFileSync(
      file,
      `vcl 4.1;
backend store { .host = "${hostname}"; .port = "${storePort}"; }
sub vcl_backend_response { set beresp.ttl = 1h; }
`,
    );
    const work = join(directory, 'work');
    const server = [
      ...['varnishd', '-F', '-j', 'none', '-n', work, '-f', file],
      ...['-a', `127.0.0.1:${port}`, '-s', 'malloc,512m', '-p', 'thread_pools=1'],
    ];
    return hasLog ? ['sh', '-c', both, 'sh', work, ...server] : server;
  });
}
