import { request } from 'node:http';
import { connect } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { localIdentity } from '../../support/local-identity.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** An origin whose answers end with trailers, one of which means nothing there. */
async function start(head: Record<string, string>, options: Partial<TestGatewayOptions> = {}) {
  origin = await ScriptedOrigin.start((_asked, response) => {
    response.writeHead(200, { ...head, trailer: 'x-sum, set-cookie' });
    response.write('body');
    response.addTrailers({ 'X-Sum': 'abc', 'Set-Cookie': 'a=b' });
    response.end();
  });
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    buckets: {},
    web: { url: origin.url, name: '/' },
    workers: 2,
    ...options,
  });
}

/** What a client of HTTP/1.1 gets. */
function ask(headers: Record<string, string>, worker = 0) {
  return new Promise<{ fields: unknown; trailers: string[]; body: string }>((resolve, reject) => {
    const asked = request(`${gateway.url(worker)}/k`, { headers, agent: false }, answer => {
      let body = '';
      answer.on('data', chunk => {
        body += chunk;
      });
      answer.on('end', () => resolve({ fields: answer.headers, trailers: answer.rawTrailers, body }));
      answer.on('error', reject);
    });
    asked.on('error', reject).end();
  });
}

const taking = { te: 'trailers', connection: 'te' };

describe('trailers of a web origin (RFC 9110 §6.5)', () => {
  it('reach clients of HTTP/1.1 that take them, from any worker, and are no header fields', async () => {
    await start({ 'cache-control': 'no-store' });
    for (const worker of [0, 1]) {
      const { fields, trailers, body } = await ask(taking, worker);
      expect([trailers, body]).toEqual([['x-sum', 'abc'], 'body']);
      expect(fields).not.toHaveProperty('x-sum');
      expect(fields).not.toHaveProperty('trailer');
      expect(origin.lastAsked?.headers.te).toBeUndefined();
    }
  });

  it('are left out where Connection names them (RFC 9110 §7.6.1)', async () => {
    await start({ 'cache-control': 'no-store', connection: 'x-sum, keep-alive' });
    for (const worker of [0, 1])
      expect(await ask(taking, worker)).toMatchObject({ trailers: [], body: 'body' });
  });

  it('are left out for others', async () => {
    await start({ 'cache-control': 'no-store' });
    for (const worker of [0, 1]) expect(await ask({}, worker)).toMatchObject({ trailers: [], body: 'body' });
  });

  it('are no part of what is held', async () => {
    await start({ 'cache-control': 'max-age=60' });
    expect((await ask(taking)).trailers).toEqual(['x-sum', 'abc']);
    const { fields, trailers } = await ask(taking);
    expect(origin.asked).toHaveLength(1);
    expect(fields).not.toHaveProperty('x-sum');
    expect(trailers).toEqual([]);
  });

  it('reach clients of HTTP/2 that take them, whose streams end', async () => {
    const identity = localIdentity();
    await start({ 'cache-control': 'no-store' }, { listener: 'worker', tls: identity.tls });
    for (const worker of [0, 1])
      for (const te of [{}, { te: 'trailers' }]) {
        const session = connect(gateway.secureUrl(worker), { ca: identity.caPem });
        const stream = session.request({ ':path': '/k', ...te });
        const trailers: unknown[] = [];
        stream.on('trailers', fields => trailers.push([fields['x-sum'], fields['set-cookie']]));
        let body = '';
        stream.on('data', chunk => {
          body += chunk;
        });
        await new Promise((resolve, reject) => stream.on('close', resolve).on('error', reject));
        session.close();
        expect([body, trailers]).toEqual(['body', 'te' in te ? [['abc', undefined]] : []]);
      }
  });

  it('an answer without any ends for clients that take them', async () => {
    const identity = localIdentity();
    await start({}, { listener: 'worker', tls: identity.tls });
    origin.answer = (_asked, response) => {
      response.writeHead(200, { 'cache-control': 'no-store' });
      response.write('a');
      response.end('b');
    };
    expect(await ask(taking)).toMatchObject({ trailers: [], body: 'ab' });
    const session = connect(gateway.secureUrl(0), { ca: identity.caPem });
    const stream = session.request({ ':path': '/k', te: 'trailers' });
    let body = '';
    stream.on('data', chunk => {
      body += chunk;
    });
    await new Promise((resolve, reject) => stream.on('close', resolve).on('error', reject));
    session.close();
    expect([body, stream.rstCode]).toEqual(['ab', 0]);
  });
});
