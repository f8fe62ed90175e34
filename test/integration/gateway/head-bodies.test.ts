import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let store: RawStore;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const answerWith = (body: string) =>
  `HTTP/1.1 200 OK\r\netag: "${body}"\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** The content of an object that looks like an answer of a store. */
const content = answerWith('evil');
const head = `HTTP/1.1 200 OK\r\netag: "asked"\r\ncontent-length: ${content.length}\r\n\r\n`;

/**
 * When a store sends the body of a HEAD (RFC 9110 §9.3.2 forbids one) that is on its connection: `sendRest` is called
 * when the next request has come, on whatever connection that is.
 */
const stores: readonly (readonly [
  when: string,
  answerHead: (socket: Socket, sendRest: () => void) => void,
])[] = [
  ['in the same packet', socket => socket.write(head + content)],
  ['at once', (socket, sendRest) => socket.write(head, sendRest)],
  ['when the next request has come', socket => socket.write(head)],
];

it.each(stores)(
  'the body that a store sends to a HEAD is no answer to another request: %s',
  async (_, answerHead) => {
    let sendRest = () => undefined as unknown;
    store = await RawStore.start((socket, request) => {
      if (request.startsWith('HEAD')) {
        sendRest = () => socket.writable && socket.write(content);
        answerHead(socket, sendRest);
      } else {
        sendRest();
        setImmediate(() => socket.write(answerWith('good')));
      }
    });
    gateway = await TestGateway.start({ storeUrl: store.url, store: { connections: 1 } });
    for (let count = 0; count < 5; count++) {
      expect((await gateway.head(`/b/asked-${count}`)).headers.etag).toBe('"asked"');
      expect((await gateway.get(`/b/read-${count}`)).body.toString()).toBe('good');
    }
  },
);
