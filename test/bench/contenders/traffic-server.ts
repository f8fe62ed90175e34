import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contender, startContender } from './contender.ts';

const folders = ['config', 'datadir', 'runtimedir', 'logdir', 'cachedir'];

const loopbackOnly = `ip_allow:
  - apply: in
    ip_addrs: 127.0.0.1
    action: allow
    methods: ALL
`;

/** Traffic Server with one thread, memory for all objects several times over, and no log. */
export function startTrafficServer(storeUrl: string): Promise<Contender> {
  return startContender('Traffic Server', (directory, port) => {
    for (const folder of folders) mkdirSync(join(directory, folder));
    const configure = (name: string, text: string) => writeFileSync(join(directory, 'config', name), text);
    configure('records.config', records(port));
    configure('remap.config', `map / ${storeUrl}/\n`);
    configure('storage.config', `${join(directory, 'cachedir')} 256M\n`);
    configure('cache.config', 'dest_domain=. ttl-in-cache=1h\n');
    configure('plugin.config', '');
    configure('ip_allow.yaml', loopbackOnly);
    const layout = join(directory, 'runroot.yaml');
    writeFileSync(layout, layoutOf(directory));
    return ['traffic_server', `--run-root=${layout}`];
  });
}

/** Where the installed programs are, and everything that is written in a folder of our own. */
function layoutOf(directory: string): string {
  const own = folders.map(
    folder => `${folder === 'config' ? 'sysconfdir' : folder}: ${join(directory, folder)}`,
  );
  return [
    'prefix: /usr',
    'exec_prefix: /usr',
    'bindir: /usr/bin',
    'sbindir: /usr/sbin',
    'includedir: /usr/include',
    'libdir: /usr/lib/trafficserver',
    'libexecdir: /usr/lib/trafficserver/modules',
    `localstatedir: ${directory}`,
    ...own,
    '',
  ].join('\n');
}

function records(port: number): string {
  return `
CONFIG proxy.config.http.server_ports STRING ${port}:ip-in=127.0.0.1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.cache.ram_cache.size INT 536870912
CONFIG proxy.config.http.cache.required_headers INT 0
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.crash_log_helper STRING NULL
CONFIG proxy.config.diags.output.status STRING L
CONFIG proxy.config.net.default_inactivity_timeout INT 3600
`;
}
