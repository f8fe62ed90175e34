import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import { request as requestHttp1 } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/base/logger.ts';
import type { HttpListenerOptions } from '../../../../src/server/http-listener.ts';
import { defaultLimits } from '../../../support/client-limits.ts';
import { localIdentity } from '../../../support/local-identity.ts';
import { answerOf, listenSecurely, openSession } from '../../../support/secure-listener.ts';

const refusing: Partial<HttpListenerOptions> = {
  takesBody: ({ method }) => method === 'PUT',
  answerUnreadable: why => ({
    requestId: `id of ${why}`,
    text: `HTTP/1.1 431 Refused\r\nx-why: ${why}\r\ncontent-length: 2\r\n\r\nno`,
  }),
};

it('a header list above the limit is refused, and concerns no other stream', async () => {
  let handled = 0;
  const handle = (_request: IncomingMessage, response: ServerResponse) => {
    handled++;
    response.end();
  };
  const limits = { ...defaultLimits, headersBytes: 8_192 };
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const session = await openSession(await listenSecurely(handle, { ...refusing, limits, logger }));
  const ask = (fields: object) => session.request({ ':path': '/', ...fields });
  const tooMany = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`a${index}`, '']));
  const tooLong = { long: 'x'.repeat(8_192) };
  // sent before the client can have acknowledged the limit
  const early = await answerOf(ask(tooLong));
  expect(early.headers).toMatchObject({ ':status': 431, 'x-why': 'headers-too-large' });
  expect(JSON.parse(lines.join(''))).toMatchObject({
    ...{ requestId: 'id of headers-too-large', remoteAddress: '127.0.0.1' },
    msg: 'refused a request whose header list is too large',
  });
  for (const fields of [tooLong, tooMany]) {
    const stream = ask(fields);
    await expect(answerOf(stream)).rejects.toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
    expect(stream.rstCode).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
  expect(handled).toBe(0);
  expect((await answerOf(ask({ long: 'x'.repeat(7_000) }))).headers).toMatchObject({ ':status': 200 });
});

it('each field counts 32 bytes beside its name and value (RFC 9113 §6.5.2), from the first request of a session on', async () => {
  const limits = { ...defaultLimits, headersBytes: 8_192 };
  const listener = await listenSecurely((_request, response) => void response.end(), { ...refusing, limits });
  const answerTo = async (count: number) => {
    const session = await openSession(listener);
    const fields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, '']));
    const { headers } = await answerOf(session.request({ ':path': '/', ...fields }));
    return headers[':status'];
  };
  expect(await answerTo(200)).toBe(200);
  expect(await answerTo(300)).toBe(431);
});

it('trailers of a request are ignored, as those of HTTP/1.1 are', async () => {
  const listener = await listenSecurely(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { complete, headers } = request;
    const isTold = 'x-late' in headers || 'authorization' in headers || headers.host === 'elsewhere.test';
    response.end(JSON.stringify({ body, complete, isTold }));
  }, refusing);
  const late = { 'x-late': 'value', host: 'elsewhere.test', authorization: 'none' };
  const options = { waitForTrailers: true };
  const stream = (await openSession(listener)).request({ ':method': 'PUT', ':path': '/' }, options);
  stream.once('wantTrailers', () => stream.sendTrailers(late));
  stream.end('content');
  const overTwo = await answerOf(stream);
  const where = { port: listener.port, host: '127.0.0.1', ca: localIdentity().caPem, agent: false };
  const sent = requestHttp1({ ...where, method: 'PUT', headers: { trailer: 'x-late' } });
  sent.write('content');
  sent.addTrailers(late);
  sent.end();
  const [response] = await once(sent, 'response');
  const overOne = (await buffer(response)).toString();
  expect(overTwo.headers).toMatchObject({ ':status': 200 });
  expect(JSON.parse(overTwo.body.toString())).toEqual({ body: 'content', complete: true, isTold: false });
  expect(overOne).toBe(overTwo.body.toString());
});
