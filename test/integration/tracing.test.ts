import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listenLocally } from '../support/listen-locally.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

it('a gateway that is stopped sends the spans of its last requests before it ends', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-tracing-'));
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(`${request.headers.authorization} ${await text(request)}`);
    response.end('{}');
  });
  const endpoint = await listenLocally(collector);
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      listen: { port },
      admin: { port: adminPort },
      state: { directory: join(directory, 'state') },
      cache: { memory: { size: '16MiB' } },
      backends: { store: { type: 'embedded', directory: join(directory, 'store') } },
      buckets: { b: { backend: 'store', access: 'public' } },
      tracing: { endpoint, sample: 1, headers: { authorization: 'Bearer planted-secret' } },
    }),
  );
  const gateway = new RealProcess(process.execPath, [main, 'serve', '--config', file], { cwd: directory });
  try {
    await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await (await fetch(`http://127.0.0.1:${port}/b/k`, { headers: { traceparent } })).text();
    await gateway.stop();
    expect(received.length).toBeGreaterThan(0);
    expect(received[0]).toMatch(/^Bearer planted-secret \{"resourceSpans":/);
    expect(received.join()).toContain('"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"');
    expect(gateway.output).toContain('"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"');
    expect(gateway.output).not.toContain('planted-secret');
  } finally {
    await gateway.stop();
    collector.closeAllConnections();
    collector.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
