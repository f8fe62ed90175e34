import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ServedRequest } from '../../../src/transport/served-request.ts';

/** What a server sees of a request with `lines`. */
async function headersOf(lines: string): Promise<IncomingHttpHeaders> {
  const seen = Promise.withResolvers<IncomingHttpHeaders>();
  const server = createServer(
    { IncomingMessage: ServedRequest, maxHeaderSize: 65_536 },
    ({ headers }, response) => {
      seen.resolve(headers);
      response.end();
    },
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  client.write(`GET / HTTP/1.1\r\nhost: x\r\n${lines}connection: close\r\n\r\n`);
  const headers = await seen.promise;
  client.destroy();
  server.close();
  return headers;
}

// A canary for the next version of Node: its private method for the fields is replaced.
it('names of more than 4 KiB are no keys of the headers', async () => {
  const long = 'n'.repeat(20_000);
  const name = 'n'.repeat(4_096);
  const lines = `${long}: 1\r\n${name}: 2\r\nvia: a\r\nvia: b\r\n`;
  expect(await headersOf(lines)).toEqual({
    ...{ host: 'x', connection: 'close', via: 'a, b' },
    [name]: '2',
  });
  expect(await headersOf('')).toEqual({ host: 'x', connection: 'close' });
});
