import { connect } from 'node:http2';
import { afterEach, expect, it } from 'vitest';
import { localIdentity } from '../../support/local-identity.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

it('answers before the final one reach clients of HTTP/2 from any worker (RFC 9113 §8.1)', async () => {
  origin = await ScriptedOrigin.start((_asked, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-hint': 'yes' });
    response.writeHead(200, { 'cache-control': 'no-store' }).end('later');
  });
  const identity = localIdentity();
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    buckets: {},
    web: { url: origin.url, name: '/' },
    workers: 2,
    listener: 'worker',
    tls: identity.tls,
  });
  for (const worker of [0, 1]) {
    const session = connect(gateway.secureUrl(worker), { ca: identity.caPem });
    const stream = session.request({ ':path': '/k' });
    const interim: unknown[] = [];
    stream.on('headers', fields => interim.push([fields[':status'], fields.link, fields['x-hint']]));
    let body = '';
    stream.on('data', chunk => {
      body += chunk;
    });
    await new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
    session.close();
    expect(body).toBe('later');
    expect(interim).toEqual([
      [102, undefined, undefined],
      [103, '</a.css>; rel=preload', 'yes'],
    ]);
  }
});
