import { createServer } from 'node:http';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';

const [, , port, list = '[]'] = process.argv;
const sizes = new Map<string, number>(JSON.parse(list));
const objects = new Map(
  [...sizes].map(([path, sizeBytes]) => {
    const content = patternContent(sizeBytes);
    const headers = [
      ...['etag', content.entityTag, 'last-modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
      ...[
        'content-type',
        'binary/octet-stream',
        'accept-ranges',
        'bytes',
        'content-length',
        String(sizeBytes),
      ],
    ];
    return [path, { headers, body: copyOf(content) }] as const;
  }),
);

const server = createServer((request, reply) => {
  const object = objects.get(request.url ?? '');
  if (!object) {
    reply.writeHead(404).end();
    return;
  }
  reply.writeHead(200, object.headers).end(object.body);
});
server.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit());
