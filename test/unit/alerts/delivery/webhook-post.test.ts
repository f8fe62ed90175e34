import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { WebhookPoster } from '../../../../src/alerts/delivery/webhook-post.ts';

const servers: Server[] = [];
const posters: WebhookPoster[] = [];

afterEach(async () => {
  await Promise.all(posters.splice(0).map(poster => poster.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return `http://127.0.0.1:${address.port}/hook/secret-part?sig=s3cr3t`;
}

function poster(options: ConstructorParameters<typeof WebhookPoster>[0] = {}): WebhookPoster {
  const made = new WebhookPoster(options);
  posters.push(made);
  return made;
}

it('posts UTF-8 JSON to the very URL, without credentials (docs/cards.md, Authentication 1)', async () => {
  let seen: IncomingMessage | undefined;
  let body = '';
  const url = await serve((request, response) => {
    seen = request;
    request.on('data', chunk => (body += chunk)).on('end', () => response.end('1'));
  });
  expect(await poster().post(url, '{"text":"😀"}')).toMatchObject({ kind: 'answer', status: 200, body: '1' });
  expect([seen?.method, seen?.url]).toEqual(['POST', '/hook/secret-part?sig=s3cr3t']);
  expect(seen?.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(seen?.headers.authorization).toBeUndefined();
  expect(body).toBe('{"text":"😀"}');
});

it('gives status and Retry-After, and reads only the start of a long answer', async () => {
  const url = await serve((_, response) => {
    response.writeHead(429, { 'retry-after': '30' }).end('x'.repeat(1_000_000));
  });
  const outcome = await poster().post(url, '{}');
  expect(outcome).toMatchObject({ kind: 'answer', status: 429, retryAfter: '30' });
  expect(outcome.kind === 'answer' && outcome.body.length).toBe(16 * 1024);
});

it('does not follow a redirect', async () => {
  const url = await serve((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end());
  expect(await poster().post(url, '{}')).toMatchObject({ kind: 'answer', status: 302 });
});

it.each([
  ['hangs up', (_: IncomingMessage, response: ServerResponse) => void response.destroy()],
  ['never answers', () => undefined],
  [
    'begins an answer and stops',
    (_: IncomingMessage, response: ServerResponse) => void response.writeHead(200).write('1'),
  ],
])('reports a service that %s by a code, which tells nothing of the URL', async (_, answer) => {
  const url = await serve(answer);
  const outcome = await poster({ replyTimeoutMs: 150 }).post(url, '{}');
  expect(outcome.kind).toBe('no-answer');
  expect(JSON.stringify(outcome)).not.toMatch(/127\.0\.0\.1|secret|sig=/);
});

it('reports a refused connection by its code', async () => {
  const url = await serve(() => undefined);
  const [server] = servers.splice(0);
  await new Promise(closed => server?.close(closed));
  expect(await poster().post(url, '{}')).toEqual({ kind: 'no-answer', code: 'ECONNREFUSED' });
});
