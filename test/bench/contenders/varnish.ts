import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, RealProcess } from '../../support/real-process.ts';
import { type Contender, pinned } from './contender.ts';

/** Varnish with memory for all objects several times over and room for the connections; everything else as it comes. */
export async function startVarnish(storeUrl: string): Promise<Contender> {
  const directory = mkdtempSync('/dev/shm/tidegate-varnish-');
  const port = await freePort();
  const file = join(directory, 'bench.vcl');
  const { hostname, port: storePort } = new URL(storeUrl);
  writeFileSync(
    file,
    `vcl 4.1;
backend store { .host = "${hostname}"; .port = "${storePort}"; }
sub vcl_backend_response { set beresp.ttl = 1h; }
`,
  );
  const server = new RealProcess(pinned[0] ?? '', [
    ...pinned.slice(1),
    'varnishd',
    ...['-F', '-j', 'none', '-n', join(directory, 'work'), '-f', file],
    ...['-a', `127.0.0.1:${port}`, '-s', 'malloc,512m', '-p', 'thread_pools=1'],
  ]);
  await server.answers(`http://127.0.0.1:${port}/`);
  return {
    name: 'Varnish',
    url: `http://127.0.0.1:${port}`,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
