import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { OtlpSpans } from '../../../src/base/otlp-spans.ts';
import { createRedactor } from '../../../src/base/redaction.ts';
import type { FinishedSpan } from '../../../src/base/spans.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let collector: Server;
let received: {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}[];
let status: number;
let endpoint: string;
let lines: string[];
let metrics: Metrics;
let clock: ManualClock;

beforeEach(async () => {
  received = [];
  status = 200;
  lines = [];
  clock = new ManualClock();
  metrics = new Metrics();
  collector = createServer(async (request, response) => {
    received.push({ url: request.url, headers: request.headers, body: await json(request) });
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  endpoint = await listenLocally(collector);
});
afterEach(() => {
  collector.closeAllConnections();
  collector.close();
});

function start(to = endpoint, redact = replaced): OtlpSpans {
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const headers = { authorization: 'Bearer planted-secret' };
  return new OtlpSpans({
    ...{ endpoint: to, headers, instance: 'i-1', version: '1.2.3', metrics, logger, clock },
    redact,
  });
}

const replaced = (text: string) => text.replaceAll('configured-secret', '[redacted]');

const span = (number: number, more: Partial<FinishedSpan> = {}): FinishedSpan => ({
  kind: 'server',
  name: 'GET GetObject',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: number.toString(16).padStart(16, '1'),
  parentSpanId: '00f067aa0ba902b7',
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_012.5,
  attributes: {
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'url.query': undefined,
    'url.path': '/b/configured-secret',
  },
  isError: false,
  ...more,
});

async function outcomes(): Promise<Record<string, number>> {
  const family = (await metrics.snapshot()).find(({ name }) => name === 'tidegate_spans_total');
  return Object.fromEntries(family?.values.map(({ labels, value }) => [String(labels.outcome), value]) ?? []);
}

it('sends spans as OTLP in JSON, with the headers that are configured', async () => {
  const spans = start(`${endpoint}/collect/`);
  spans.add(span(1));
  spans.add(span(2, { kind: 'client', isError: true, parentSpanId: undefined }));
  await spans.flush(10_000);
  expect(received).toHaveLength(1);
  const [{ url, headers, body } = { url: '', headers: {}, body: {} }] = received;
  expect(url).toBe('/collect/v1/traces');
  expect(headers).toMatchObject({
    authorization: 'Bearer planted-secret',
    'content-type': 'application/json',
  });
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  expect(body).toMatchObject({
    resourceSpans: [
      {
        resource: {
          attributes: expect.arrayContaining([
            attribute('service.name', 'tidegate'),
            attribute('service.version', '1.2.3'),
            attribute('service.instance.id', 'i-1'),
          ]),
        },
        scopeSpans: [
          {
            spans: [
              {
                ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '1111111111111111' },
                ...{ parentSpanId: '00f067aa0ba902b7', name: 'GET GetObject', kind: 2 },
                startTimeUnixNano: '1700000000000250000',
                endTimeUnixNano: '1700000000012500000',
                attributes: [
                  attribute('http.request.method', 'GET'),
                  { key: 'http.response.status_code', value: { intValue: 200 } },
                  attribute('url.path', '/b/[redacted]'),
                ],
                status: { code: 0 },
              },
              { spanId: '1111111111111112', kind: 3, status: { code: 2 } },
            ],
          },
        ],
      },
    ],
  });
  expect(await outcomes()).toEqual({ exported: 2, failed: 0, dropped: 0 });
  expect(lines).toEqual([]);
});

it('law 7: cuts attributes behind their secrets, and takes no time for what looks like a list of tokens', async () => {
  const spans = start(endpoint, createRedactor(['configured-secret']));
  const agents = [
    `"token":["a"${' "a"'.repeat(60)}`,
    `${'x'.repeat(4_090)}configured-secret${'y'.repeat(9_000)}`,
  ];
  for (const [number, agent] of agents.entries())
    spans.add(span(number, { attributes: { 'user_agent.original': agent } }));
  await spans.flush(10_000);
  const text = JSON.stringify(received[0]?.body);
  expect(text).toContain(JSON.stringify(agents[0]));
  expect(text).toContain(JSON.stringify(`${'x'.repeat(4_090)}[redac`));
  expect(text).not.toContain('configured');
});

it('names its service as the variables of OpenTelemetry say, and adds their attributes', async () => {
  vi.stubEnv('OTEL_SERVICE_NAME', 'photos');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=production,k8s.pod.name=gateway%2D0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const spans = start();
  spans.add(span(1));
  await spans.flush(10_000);
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const attributes = expect.arrayContaining([
    attribute('service.name', 'photos'),
    attribute('service.version', '1.2.3'),
    attribute('deployment.environment.name', 'production'),
    attribute('k8s.pod.name', 'gateway-0'),
  ]);
  expect(received[0]?.body).toMatchObject({ resourceSpans: [{ resource: { attributes } }] });
});

it('a collector that refuses is logged once a minute, and what it did not take is counted', async () => {
  status = 400;
  const spans = start();
  for (let number = 0; number < 3; number++) {
    spans.add(span(number));
    await spans.flush(10_000);
  }
  expect(await outcomes()).toEqual({ exported: 0, failed: 3, dropped: 0 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('spans could not be sent to tracing.endpoint');
  expect(lines[0]).not.toContain('planted-secret');
  clock.advance(60_000);
  spans.add(span(4));
  await spans.flush(10_000);
  expect(lines).toHaveLength(2);
});

it('spans that nobody fetches in time are dropped and counted: no more wait than some thousand', async () => {
  const silent = createServer(() => undefined);
  const spans = start(await listenLocally(silent));
  for (let number = 0; number < 10_000; number++) spans.add(span(number));
  const { dropped = 0 } = await outcomes();
  expect(dropped).toBeGreaterThanOrEqual(10_000 - 2 * 2_048);
  const flushed = spans.flush(1_000);
  clock.advance(1_000);
  await flushed;
  silent.closeAllConnections();
  silent.close();
});
