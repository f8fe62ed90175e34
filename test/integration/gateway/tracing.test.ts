import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FinishedSpan } from '../../../src/base/spans.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const otherTrace = 'ffffffffffffffffffffffffffffff01';
const parentSpan = '00f067aa0ba902b7';
const sampled = `00-${traceId}-${parentSpan}-01`;
const unsampled = `00-${traceId}-${parentSpan}-00`;

const blockBytes = 1024 * 1024;
const largeBytes = 3 * blockBytes;

let store: Server;
let gateway: TestGateway;
let asked: IncomingMessage[];
let held: (() => void)[] | undefined;
let spans: FinishedSpan[];
let lines: { readonly traceId?: string; readonly url: string }[];

beforeEach(async () => {
  [asked, held, spans, lines] = [[], undefined, [], []];
  store = createServer((request, response) => {
    asked.push(request);
    request.resume();
    if (held) held.push(() => answer(request, response));
    else answer(request, response);
  });
});
afterEach(async () => {
  await gateway.close();
  store.closeAllConnections();
  store.close();
});

/** An object of the size that its key tells, or what another path asks for. */
function answer({ url = '', method, headers }: IncomingMessage, response: ServerResponse): void {
  if (url.includes('missing')) {
    response.writeHead(500).end();
    return;
  }
  const sizeBytes = url.includes('large') ? largeBytes : 100;
  const [, first = 0, last = sizeBytes - 1] =
    /bytes=(\d+)-(\d+)/.exec(headers.range ?? '')?.map(Number) ?? [];
  const to = Math.min(last, sizeBytes - 1);
  const fields = { etag: '"e"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const range = { 'content-range': `bytes ${first}-${to}/${sizeBytes}` };
  response.writeHead(headers.range ? 206 : 200, {
    ...fields,
    ...(headers.range && range),
    'content-length': to - first + 1,
  });
  if (method === 'HEAD') response.end();
  else response.end(Buffer.alloc(to - first + 1, 'x'));
}

async function start(isTracing: boolean, options: Partial<TestGatewayOptions> = {}): Promise<void> {
  gateway = await TestGateway.start({
    storeUrl: await listenLocally(store),
    accessLog: accessLogTo(line => void lines.push(JSON.parse(line))),
    ...(isTracing && { tracing: { spans: { add: span => void spans.push(span) }, sample: () => false } }),
    ...options,
  });
}

const fieldsAsked = () => asked.map(({ headers }) => [headers.traceparent, headers.tracestate]);

describe('a gateway that records no spans', () => {
  beforeEach(() => start(false));

  it('passes a valid trace on as it is, and logs its id', async () => {
    await gateway.get('/b/k', { traceparent: sampled, tracestate: 'congo=t61' });
    expect(fieldsAsked()).toEqual([[sampled, 'congo=t61']]);
    expect(lines).toMatchObject([{ traceId }]);
  });

  it('ignores a malformed trace, and its state', async () => {
    await gateway.get('/b/k', { traceparent: `00-${traceId}-${parentSpan}-1`, tracestate: 'congo=t61' });
    expect(fieldsAsked()).toEqual([[undefined, undefined]]);
    expect(lines.map(line => line.traceId)).toEqual([undefined]);
  });

  it('passes the trace of reads that are not cached, and of writes', async () => {
    await gateway.get('/b/k?tagging', { traceparent: sampled });
    await gateway.send('PUT', '/b/k', { traceparent: sampled, 'content-length': '0' });
    await gateway.head('/b/k', { traceparent: sampled });
    expect(fieldsAsked()).toEqual([
      [sampled, undefined],
      [sampled, undefined],
      [sampled, undefined],
    ]);
  });
});

it('two fields with traces are one that is malformed', async () => {
  await start(false);
  const doubled = Object.assign(Object.create(null), { traceparent: [sampled, sampled] });
  await gateway.get('/b/k', doubled);
  expect(fieldsAsked()).toEqual([[undefined, undefined]]);
});

it('a trace is no part of what is cached: requests of other traces, or of none, are hits', async () => {
  await start(false);
  const results: unknown[] = [];
  for (const traceparent of [sampled, `00-${otherTrace}-${parentSpan}-01`, undefined, sampled]) {
    const { headers } = await gateway.get('/b/k', traceparent === undefined ? {} : { traceparent });
    results.push(headers['x-cache']);
  }
  expect(results).toEqual(['MISS', 'HIT', 'HIT', 'HIT']);
  expect(lines.map(line => line.traceId)).toEqual([traceId, otherTrace, undefined, traceId]);
});

it('a plain read that was remembered carries the trace of each request, not that of the first', async () => {
  await start(false, { policy: { ttlMs: 0 } });
  await gateway.get('/b/k', { traceparent: sampled });
  await gateway.get('/b/k');
  await gateway.get('/b/k', { traceparent: unsampled });
  expect(fieldsAsked().map(([traceparent]) => traceparent)).toEqual([sampled, undefined, unsampled]);
});

it.each([1, 2])(
  'each extent carries the trace of the request that it is fetched for, with %i workers',
  async workers => {
    await start(false, { workers });
    for (const [index, traceparent] of [sampled, undefined, `00-${otherTrace}-${parentSpan}-00`].entries()) {
      const range = `bytes=${index * blockBytes}-${index * blockBytes + 9}`;
      for (let worker = 0; worker < workers; worker++)
        await gateway.get('/b/large', { range, ...(traceparent && { traceparent }) }, worker);
    }
    expect(fieldsAsked().map(([traceparent]) => traceparent)).toEqual([
      sampled,
      undefined,
      `00-${otherTrace}-${parentSpan}-00`,
    ]);
  },
);

it('a call that several requests wait for carries the trace of the one that began it', async () => {
  await start(false);
  held = [];
  const first = gateway.get('/b/k', { traceparent: sampled });
  await turnsUntil('the store is asked', () => asked.length === 1);
  const others = [
    gateway.get('/b/k', { traceparent: `00-${otherTrace}-${parentSpan}-01` }),
    gateway.get('/b/k'),
  ];
  await turnsUntil('all wait', () => gateway.gateways[0]?.waiting.requests === 3);
  for (const goOn of held) goOn();
  await Promise.all([first, ...others]);
  expect(fieldsAsked()).toEqual([[sampled, undefined]]);
});

it('no signature to the store covers the trace: proxies on the way may change it', async () => {
  const credentials = { kind: 'static' as const, accessKeyId: 'AKID', secretAccessKey: 'secret' };
  await start(false, { store: { credentials } });
  await gateway.get('/b/k', { traceparent: sampled, tracestate: 'a=1' });
  const authorization = asked[0]?.headers.authorization ?? '';
  expect(authorization).toContain('SignedHeaders=');
  expect(authorization).not.toContain('trace');
  expect(fieldsAsked()).toEqual([[sampled, 'a=1']]);
});

describe('a gateway that records spans', () => {
  it('records a request and its call to the store, and passes the span of the call on', async () => {
    await start(true);
    await gateway.get('/b/k?versionId=v', {
      traceparent: sampled,
      tracestate: 'a=1',
      'user-agent': 'tester',
    });
    await turnsUntil('both spans are there', () => spans.length === 2);
    const server = spans.find(({ kind }) => kind === 'server');
    const client = spans.find(({ kind }) => kind === 'client');
    expect(server).toMatchObject({
      ...{ name: 'GET GetObject', traceId, parentSpanId: parentSpan, isError: false },
      attributes: {
        'http.request.method': 'GET',
        'url.path': '/b/k',
        'url.query': 'versionId=v',
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(gateway.url()).port),
        'user_agent.original': 'tester',
        'network.protocol.version': '1.1',
        'http.response.status_code': 200,
        'http.response.body.size': 100,
        'tidegate.bucket': 'b',
        'tidegate.operation': 'GetObject',
        'tidegate.cache': 'MISS',
      },
    });
    expect(client).toMatchObject({
      ...{ name: 'GET GetObject', traceId, parentSpanId: server?.spanId, isError: false },
      attributes: {
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'http.response.status_code': 206,
        'tidegate.backend': 'main',
      },
    });
    expect(String(client?.attributes['url.full'])).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/b\/k\?versionId=v$/);
    expect(fieldsAsked()).toEqual([[`00-${traceId}-${client?.spanId}-01`, 'a=1']]);
    for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(Math.abs((server?.startMs ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('a trace that is not sampled goes on with the span of the gateway, and nothing is recorded', async () => {
    await start(true);
    await gateway.get('/b/k', { traceparent: unsampled });
    const [[traceparent] = []] = fieldsAsked();
    expect(traceparent).toMatch(new RegExp(`^00-${traceId}-(?!${parentSpan})[\\da-f]{16}-00$`));
    expect(spans).toEqual([]);
  });

  it('a request without a trace gets a new one, in the log too', async () => {
    await start(true);
    await gateway.get('/b/k', { traceparent: 'malformed' });
    const [[traceparent = ''] = []] = fieldsAsked();
    expect(traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    expect(lines).toMatchObject([{ traceId: String(traceparent).split('-')[1] }]);
  });

  it('what fails is an error, in the span of each try too', async () => {
    await start(true);
    await gateway.get('/b/missing', { traceparent: sampled });
    await turnsUntil('the spans are there', () => spans.some(({ kind }) => kind === 'server'));
    expect(spans.length).toBe(asked.length + 1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { isError, attributes } of spans) {
      expect([isError, attributes['http.response.status_code']]).toEqual([true, 500]);
      expect(attributes['error.type']).toBeDefined();
    }
  });

  const calls = () =>
    spans.flatMap(({ kind, attributes }) =>
      kind === 'client' ? [[attributes['server.port'], attributes['tidegate.reason']]] : [],
    );

  it('tells a second request for a slow read from the first', async () => {
    await start(true, { store: { hedge: { quantile: 0.5, share: 0.05 } } });
    for (let index = 0; index < 100; index++) await gateway.get(`/b/${index}`);
    held = [];
    const slow = gateway.get('/b/slow', { traceparent: sampled });
    await turnsUntil('the store is asked twice', () => held?.length === 2);
    held[1]?.();
    await slow;
    await turnsUntil('the spans are there', () => spans.length === 3);
    expect(calls().map(([, reason]) => reason)).toEqual(expect.arrayContaining([undefined, 'hedge']));
  });

  it('tells a request to the fallback from those to the store itself', async () => {
    const replica = createServer(({ method, headers }, response) =>
      answer({ url: '/b/k', method, headers } as IncomingMessage, response),
    );
    const fallbackUrl = await listenLocally(replica);
    await start(true, { fallbackUrl });
    expect((await gateway.get('/b/missing', { traceparent: sampled })).status).toBe(200);
    replica.close();
    await turnsUntil('the spans are there', () => spans.some(({ kind }) => kind === 'server'));
    const port = Number(new URL(fallbackUrl).port);
    expect(calls().filter(([at]) => at === port)).toEqual([[port, 'fallback']]);
    expect(
      calls()
        .filter(([at]) => at !== port)
        .map(([, reason]) => reason),
    ).toEqual(asked.map(() => undefined));
  });

  it('has no secret of a presigned URL in any span', async () => {
    await start(true);
    const secret = 'feedfacefeedfacefeedfacefeedface';
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${secret}&X-Amz-Security-Token=${secret}`;
    await gateway.get(`/b/k?${query}`, { traceparent: sampled });
    await turnsUntil('the span is there', () => spans.some(({ kind }) => kind === 'server'));
    expect(JSON.stringify(spans)).not.toContain(secret);
    expect(JSON.stringify(spans)).toContain('X-Amz-Signature=[redacted]');
  });

  it('law 7: has no secret in the span of a call to the store either, where the key is a presigned URL', async () => {
    await start(true);
    const secret = 'feedfacefeedfacefeedfacefeedface';
    await gateway.get(`/b/k${encodeURIComponent(`?X-Amz-Signature=${secret}`)}`, { traceparent: sampled });
    await turnsUntil('both spans are there', () => spans.length === 2);
    expect(asked[0]?.url).toContain(secret);
    expect(JSON.stringify(spans)).not.toContain(secret);
  });
});
