import { createServer } from 'node:http';
import { crc32 } from 'node:zlib';

const [, , port] = process.argv;

/** Takes every body as fast as it comes, keeps nothing, and answers with an entity tag made of length and CRC32. */
const server = createServer((request, reply) => {
  let [sizeBytes, checksum] = [0, 0];
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    checksum = crc32(chunk, checksum);
  });
  request.on('end', () => {
    reply.writeHead(200, { etag: `"${sizeBytes}-${checksum}"`, 'content-length': 0 }).end();
  });
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
