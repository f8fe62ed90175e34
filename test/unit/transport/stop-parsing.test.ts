import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { stopParsing } from '../../../src/transport/stop-parsing.ts';

/** Requests that node:http makes of `count` in one read, of which the third destroys the connection. */
async function parsed(count: number, stop: typeof stopParsing | undefined): Promise<number> {
  let requests = 0;
  const faults: unknown[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer(({ socket }) => {
    requests++;
    if (requests !== 3) return;
    socket.once('close', closed.resolve);
    socket.destroy();
    stop?.(socket);
  });
  server.on('clientError', error => faults.push(error));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count));
  await closed.promise;
  await new Promise<void>(resolve => server.close(() => resolve()));
  expect(faults).toEqual([]);
  return requests;
}

// A canary for the next version of Node: without the property that is leant on, all 100 are parsed.
it('nothing behind the request that destroys its connection becomes a request', async () => {
  expect(await parsed(100, stopParsing)).toBeLessThanOrEqual(4);
});

it('node:http by itself makes requests of all that it has read', async () => {
  expect(await parsed(100, undefined)).toBe(100);
});
