/** A store of as many small objects as anybody asks for, which keeps nothing of them; tells its port to who started it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentAt } from './small-objects.ts';

const server = createServer({ keepAliveTimeout: 600_000 }, ({ url = '', headers }, response) => {
  const content = contentAt(decodeURIComponent(url));
  if (!content) {
    response.writeHead(404).end();
    return;
  }
  const isRange = headers.range !== undefined;
  response.writeHead(isRange ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': content.length,
    'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT',
    etag: `"${content.toString('hex', 0, 16)}"`,
    ...(isRange && { 'content-range': `bytes 0-${content.length - 1}/${content.length}` }),
  });
  response.end(content);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
