import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuedCertificate } from '../../support/certificates.ts';
import { freePort } from '../../support/real-process.ts';
import { type Contender, startContender } from './contender.ts';

interface NginxOptions {
  readonly hasLog?: boolean;
  /** Answers over TLS, with this certificate. */
  readonly tls?: IssuedCertificate;
}

/**
 * nginx at its best for this: one worker, slices of 1 MiB in a file cache on tmpfs, open files kept.
 * Measured: `tcp_nopush` makes 64 KiB cost two and a half times as much here, so it stays off.
 */
export function startNginx(
  storeUrl: string,
  sendfile: 'on' | 'off',
  { hasLog = false, tls }: NginxOptions = {},
): Promise<Contender> {
  const name = `${sendfile === 'on' ? 'nginx' : 'nginx, sendfile off'}${hasLog ? ', access log on' : ''}${tls ? ', TLS' : ''}`;
  // buffered as much as the gateway does: without, every request has a write of its own
  const log = 'access_log /dev/null combined buffer=64k flush=1s;';
  return start(name, tls, directory => {
    mkdirSync(join(directory, 'cache'));
    return {
      http: `
  ${hasLog ? log : 'access_log off;'}
  sendfile ${sendfile};
  output_buffers 2 512k;
  open_file_cache max=10000 inactive=1h;
  open_file_cache_valid 1h;
  proxy_cache_path ${directory}/cache levels=1:2 keys_zone=objects:10m max_size=1g inactive=1h use_temp_path=off;`,
      location: `
      slice 1m;
      proxy_cache objects;
      proxy_cache_key $uri$slice_range;
      proxy_cache_valid 200 206 1h;
      proxy_set_header Range $slice_range;
      proxy_pass ${storeUrl};`,
    };
  });
}

/** nginx passing bodies on as they come, in pieces of `bufferSize`. */
export function startUploadNginx(storeUrl: string, bufferSize: string): Promise<Contender> {
  return start(`nginx, buffer of ${bufferSize}`, undefined, () => ({
    http: `
  access_log off;
  client_max_body_size 0;
  client_body_buffer_size ${bufferSize};`,
    location: `
      proxy_request_buffering off;
      proxy_pass ${storeUrl};`,
  }));
}

/** What one nginx is told beside what all are. */
interface Configuration {
  readonly http: string;
  readonly location: string;
}

async function start(
  name: string,
  tls: IssuedCertificate | undefined,
  prepare: (directory: string) => Configuration,
): Promise<Contender> {
  const tlsPort = tls && (await freePort());
  const contender = await startContender(name, (directory, port) => {
    const listens = [`listen 127.0.0.1:${port} backlog=1024;`];
    if (tls) listens.push(`listen 127.0.0.1:${tlsPort} ssl backlog=1024;`, ...tlsLines(tls));
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, configuration(directory, listens.join('\n    '), prepare(directory)));
    return ['nginx', '-p', directory, '-c', file, '-e', join(directory, 'error.log')];
  });
  return tls ? { ...contender, url: `https://127.0.0.1:${tlsPort}` } : contender;
}

function tlsLines({ cert, key }: IssuedCertificate): readonly string[] {
  return [`ssl_certificate ${cert};`, `ssl_certificate_key ${key};`, 'ssl_protocols TLSv1.2 TLSv1.3;'];
}

function configuration(directory: string, listens: string, { http, location }: Configuration): string {
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `
daemon off;
${user}
pid ${directory}/nginx.pid;
worker_processes 1;
events { worker_connections 1024; }
http {
  tcp_nodelay on;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;${http}
  server {
    ${listens}
    location / {
      proxy_http_version 1.1;${location}
    }
  }
}
`;
}
