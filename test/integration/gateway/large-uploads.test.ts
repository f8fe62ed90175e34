import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describingBytes, misplaced } from '../../support/self-describing.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const sizeBytes = 5 * 1024 * 1024;
/** So much comes as it comes; then the store waits for a while. */
const pauseBytes = 700_000;

let store: Server;
let gateway: TestGateway;
/** What was wrong with what the store got, and the names of what it got whole. */
let wrong: string[];
let whole: string[];

beforeEach(async () => {
  [wrong, whole] = [[], []];
  store = createServer((asked, reply) => {
    const object = Number(asked.url?.split('/').at(-1));
    if (object === 99) {
      reply.writeHead(403, { 'content-length': 0 }).end();
      return;
    }
    let receivedBytes = 0;
    asked.on('data', (chunk: Buffer) => {
      const fault = misplaced({ object, version: 1 }, receivedBytes, chunk);
      if (fault !== undefined) wrong.push(`${asked.url} at ${receivedBytes}: ${fault}`);
      const isPause =
        Math.floor(receivedBytes / pauseBytes) < Math.floor((receivedBytes + chunk.length) / pauseBytes);
      receivedBytes += chunk.length;
      if (isPause) void waitIn(asked);
    });
    asked.on('end', () => {
      if (receivedBytes === sizeBytes) whole.push(`${object}`);
      reply.writeHead(200, { etag: '"e"', 'content-length': 0 }).end();
    });
    asked.on('error', () => undefined);
  });
  store.listen(0, '127.0.0.1');
  await once(store, 'listening');
});

async function start(listener: 'node' | 'worker'): Promise<void> {
  const address = store.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  gateway = await TestGateway.start({ storeUrl: `http://127.0.0.1:${port}`, listener });
}

afterEach(async () => {
  await gateway.close();
  store.closeAllConnections();
  store.close();
});

async function waitIn(asked: IncomingMessage): Promise<void> {
  asked.pause();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  asked.resume();
}

function put(agent: Agent, object: number, cutAt = sizeBytes): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { hostname, port } = new URL(gateway.url());
  const headers = { 'content-length': sizeBytes };
  const sent = request({ agent, hostname, port, method: 'PUT', path: `/b/${object}`, headers });
  sent.on('response', answer => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sent.on('error', () => resolve(0));
  sent.write(describingBytes({ object, version: 1 }, 0, cutAt), () => cutAt < sizeBytes && sent.destroy());
  if (cutAt === sizeBytes) sent.end();
  return promise;
}

const title = 'uploads beside each other, of which some break off or are refused, are stored byte for byte';
it.each(['node', 'worker'] as const)(`law 2: ${title} (%s)`, async listener => {
  await start(listener);
  const agents = Array.from({ length: 5 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const objects: number[] = [];
  const answers = agents.map(async (agent, index) => {
    const statuses: number[] = [];
    // on one connection, one after the other
    for (let round = 0; round < 4; round++) {
      const object = 10 * round + index;
      objects.push(object);
      statuses.push(await put(agent, object));
    }
    return statuses;
  });
  const others = [0, 1, 2, 3].map(async round => {
    const agent = new Agent({ keepAlive: true });
    const cut = put(agent, 90 + round, 2_000_000 + round);
    const refused = put(agent, 99);
    await Promise.all([cut, refused]);
    agent.destroy();
  });
  expect((await Promise.all(answers)).flat()).toEqual(objects.map(() => 200));
  await Promise.all(others);
  for (const agent of agents) agent.destroy();
  expect(wrong).toEqual([]);
  expect(whole.map(Number).sort((a, b) => a - b)).toEqual(objects.sort((a, b) => a - b));
});
