import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let store: StandInStore;
let gateway: TestGateway;
let listener: HttpListener;
/** The answers that the gateway has been asked for. */
const begun: ServerResponse[] = [];

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({ storeUrl: store.url });
  listener = await listenHttp({
    ...{ addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 0 }], reusePort: false, limits: defaultLimits },
    logger: createLogger({ level: 'error', sink: { write: () => undefined, flush: () => undefined } }),
    handle: (request, response) => {
      begun.push(response);
      gateway.gateways[0]?.handle(request, response);
    },
  });
});

afterEach(async () => {
  await listener.drain(0);
  await gateway.close();
  await store.close();
});

const get = (path: string) => `GET /b/${path} HTTP/1.1\r\nhost: h\r\n\r\n`;

/** A client that sends `requests`, and what it has got. */
function ask(requests: string) {
  const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  const talk = { socket, received: '', closed };
  socket.setEncoding('latin1').on('data', text => {
    talk.received += text;
  });
  socket.on('error', () => undefined);
  socket.write(requests);
  return talk;
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

it('a client that closes its side after its requests gets all its answers: hits, misses, passed ones', async () => {
  const keys = Array.from({ length: 24 }, (_, index) => `k${index}`);
  for (const key of [...keys, 'hit']) store.put('b', key, `content of ${key}`);
  await gateway.get('/b/hit');
  const requests = keys.map(key => get(key) + get('hit') + get(`${key}?acl`) + get(`none-${key}`));
  const talk = ask(requests.join(''));
  talk.socket.end();
  await talk.closed;
  expect(statuses(talk.received)).toEqual(keys.flatMap(() => [200, 200, 200, 404]));
  // the store gives the object for its list of grants as well
  const contents = [...talk.received.matchAll(/\r\n\r\ncontent of (k\d+|hit)/g)].map(([, key]) => key);
  expect(contents).toEqual(keys.flatMap(key => [key, 'hit', key]));
});

it.each([
  ['a miss', 'k'],
  ['a passed request', 'k?tagging'],
])(
  'waits for %s of a store that takes its time, and hears meanwhile that it is under way',
  async (_, path) => {
    store.put('b', 'k', 'content');
    const gate = store.hold();
    const talk = ask(get(path));
    talk.socket.end();
    await once(talk.socket, 'data');
    expect(talk.received).toBe('HTTP/1.1 102 Processing\r\n\r\n');
    gate.release();
    await talk.closed;
    expect(statuses(talk.received)).toEqual([102, 200]);
  },
);

it.each([
  ['closes', (socket: Socket) => socket.destroy()],
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
])(
  'a client that %s its connection frees what waits for it, also when that is not read',
  async (_, leave) => {
    const paths = Array.from({ length: 20 }, (_each, index) => `k${index}`);
    for (const path of paths) {
      store.put('b', path, 'content');
      store.hanging.add(`/b/${path}`);
    }
    for (const count of [1, 20]) {
      store.log.clear();
      begun.length = 0;
      const { socket } = ask(
        paths
          .slice(0, count)
          .map(path => get(`${path}?tagging`))
          .join(''),
      );
      await store.log.arrival(1);
      const [response] = begun;
      const freed = response && once(response, 'close');
      leave(socket);
      await freed;
      expect(response?.headersSent).toBe(false);
      // the store is not asked for the rest
      expect(begun).toHaveLength(1);
      expect(store.log.requests).toHaveLength(1);
    }
  },
);
