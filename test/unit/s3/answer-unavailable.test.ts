import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerUnavailable } from '../../../src/s3/answer-unavailable.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { talk } from '../../support/talk.ts';

let server: Server;
let url: string;

beforeEach(async () => {
  server = createServer(answerUnavailable(['x-amz-', 'x-store-', 'x-amz-']));
  url = await listenLocally(server);
});

afterEach(() => new Promise(resolve => server.close(resolve)));

it('every request is answered with 503, when to come again, and ids of its own in every dialect', async () => {
  const { status, headers, text } = await rawRequest(url, { path: '/any/thing?x' });
  expect(status).toBe(503);
  expect(headers).toMatchObject({
    ...{ 'content-type': 'application/xml', 'content-length': String(text.length) },
    'retry-after': '1',
  });
  expect(text).toContain('<Code>ServiceUnavailable</Code>');
  for (const prefix of ['x-amz-', 'x-store-']) {
    const [requestId, hostId] = [headers[`${prefix}request-id`], headers[`${prefix}id-2`]];
    expect(requestId).toMatch(/^[\da-f]{16}$/);
    expect(text).toContain(`<RequestId>${requestId}</RequestId><HostId>${hostId}</HostId>`);
  }
  const next = await rawRequest(url, { path: '/' });
  expect(next.headers['x-amz-request-id']).not.toBe(headers['x-amz-request-id']);
});

it('the connection is closed, though the client would keep it', async () => {
  const [heard] = await talk(url, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n', 1);
  expect(heard?.head.toLowerCase()).toContain('\r\nconnection: close');
});

it('a HEAD gets no body', async () => {
  expect(await rawRequest(url, { method: 'HEAD', path: '/' })).toMatchObject({ status: 503, text: '' });
});
