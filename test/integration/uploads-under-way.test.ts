import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { describingBytes, misplaced } from '../support/self-describing.ts';
import { turnsUntil } from '../support/turns-until.ts';

const sizeBytes = 8 * 1024 * 1024;
const origin = { object: 1, version: 1 };

const running: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop();
});

/** A gateway, and half of a large upload that has come to its store. */
async function halfAnUpload() {
  let [receivedBytes, wrong] = [0, ''];
  const store = createServer((asked, reply) => {
    asked.on('data', (chunk: Buffer) => {
      wrong ||= misplaced(origin, receivedBytes, chunk) ?? '';
      receivedBytes += chunk.length;
    });
    asked.on('end', () => reply.writeHead(200, { etag: '"e"', 'content-length': 0 }).end());
  });
  await once(store.listen(0, '127.0.0.1'), 'listening');
  running.push(() => store.close());
  const address = store.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const setup: GatewaySetup = {
    backends: { main: { type: 's3', endpoint: `http://127.0.0.1:${port}`, credentials: 'none' } },
    buckets: {
      b: { backend: 'main', access: 'public', anonymous: [{ actions: ['PutObject'], keys: ['**'] }] },
    },
    memory: '64MiB',
  };
  const gateway = await GatewayProcess.start(setup);
  running.push(() => gateway.stop());
  const client = connect({ host: '127.0.0.1', port: Number(new URL(gateway.url).port) });
  running.push(() => client.destroy());
  client.write(`PUT /b/k HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${sizeBytes}\r\n\r\n`);
  client.write(describingBytes(origin, 0, sizeBytes / 2));
  await turnsUntil('half of it is there', () => receivedBytes === sizeBytes / 2);
  const finish = async () => {
    client.write(describingBytes(origin, sizeBytes / 2, sizeBytes));
    const [answer] = await once(client, 'data');
    return [String(answer).slice(0, 12), wrong || receivedBytes];
  };
  return { gateway, setup, finish };
}

const whole = ['HTTP/1.1 200', sizeBytes];

it('a large upload that is under way at a reload is stored whole, and the next one judged by what holds then', async () => {
  const { gateway, setup, finish } = await halfAnUpload();
  const anonymous = [{ actions: ['GetObject'], keys: ['**'] }];
  gateway.rewrite({ ...setup, buckets: { b: { ...setup.buckets.b, anonymous } } });
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  expect((await fetch(`${gateway.url}/b/k`, { method: 'PUT', body: 'x' })).status).toBe(403);
  expect(await finish()).toEqual(whole);
});

it('a large upload that is under way when the gateway is told to end is stored whole, and then it ends', async () => {
  const { gateway, finish } = await halfAnUpload();
  // one signal alone: a second one would end it at once
  const ended = gateway.halt();
  await turnsUntil('it drains', () => gateway.output.includes('draining'));
  expect(await finish()).toEqual(whole);
  expect(await ended).toBe(0);
});
