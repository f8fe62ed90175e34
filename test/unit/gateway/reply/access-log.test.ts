import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import { CounterCell } from '../../../../src/base/metrics.ts';
import { createRedactor } from '../../../../src/base/redaction.ts';
import type { AccessLogOptions } from '../../../../src/gateway/reply/access-log.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { ReceivedBody } from '../../../../src/gateway/request/received-body.ts';
import { rememberPeer } from '../../../../src/transport/peer.ts';
import { accessLogTo } from '../../../support/access-log-to.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** What a test says of a request. */
interface Asked {
  readonly url?: string;
  readonly method?: string;
  readonly fields?: readonly string[];
  readonly httpVersion?: string;
  readonly address?: string;
  readonly tlsVersion?: string;
}

function exchangeFor(asked: Asked, different: Partial<Exchange> = {}): Exchange {
  const { url = '/b/k', method = 'GET', fields = [], httpVersion = '1.1' } = asked;
  const request = new IncomingMessage(new Socket());
  request.rawHeaders = [...fields];
  request.httpVersion = httpVersion;
  request.httpVersionMajor = Number(httpVersion[0]);
  rememberPeer(request.socket, { address: asked.address, tlsVersion: asked.tlsVersion });
  const ends = { refuse: () => undefined, fault: () => undefined };
  const response = new ServerResponse(request);
  const exchange = new Exchange(response, method, url, 1_000, 'ID', 'id2', { now: 'today' }, ends);
  const usual = { bucket: 'b', operation: 'GetObject', status: 200, bodyBytes: 10 };
  return Object.assign(exchange, usual, { report: { result: 'HIT', cacheStatus: '' } }, different);
}

function lineOf(exchange: Exchange, different: Partial<AccessLogOptions> = {}): string {
  const lines: string[] = [];
  const log = accessLogTo(line => void lines.push(line), { clock: new ManualClock(), ...different });
  log.note(exchange, 1_001.25);
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const combined = { format: 'combined' } as const;

it('tells of a usual request who asked for what, how, and what came of it', () => {
  const received = new ReceivedBody(new CounterCell());
  received.arrived(7);
  const line = lineOf(
    exchangeFor(
      {
        ...{ address: '203.0.113.9', tlsVersion: 'TLSv1.3', httpVersion: '2.0' },
        fields: ['host', 'x', 'user-agent', 'probe/1', 'Referer', 'https://a.test/p', 'RANGE', 'bytes=0-9'],
      },
      { caller: 'AKID', received },
    ),
  );
  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toEqual({
    ...{ level: 'info', time: '2026-01-01T00:00:00.000Z', thread: 'worker-0', requestId: 'ID' },
    ...{ client: '203.0.113.9', protocol: 'HTTP/2', tls: 'TLSv1.3' },
    ...{ method: 'GET', url: '/b/k', operation: 'GetObject', bucket: 'b', caller: 'AKID' },
    ...{ status: 200, cache: 'HIT', bytes: 10, receivedBytes: 7, durationMs: 1.25 },
    ...{ range: 'bytes=0-9', referer: 'https://a.test/p', userAgent: 'probe/1' },
  });
});

it('tells of a failure what went wrong', () => {
  const different = {
    ...{ status: 503, errorCode: 'SlowDown', backend: 'main', hasClientLeft: true, formKey: 'ü' },
    ...{
      failure: new StoreError('UNREACHABLE', 'it fails', undefined, 'STATUS_503'),
      refusedKeys: 2,
      storeSaid: '<html>',
      storeRequestId: 'R'.repeat(200),
    },
    refusedSignature: { client: 'x', accessKey: 'AK', why: 'expired' },
  };
  expect(JSON.parse(lineOf(exchangeFor({}, different)))).toMatchObject({
    ...{ status: 503, code: 'SlowDown', backend: 'main', cause: 'STATUS_503', clientLeft: true, key: 'ü' },
    ...{
      refusedKeys: 2,
      storeSaid: '<html>',
      storeRequestId: 'R'.repeat(128),
      accessKey: 'AK',
      why: 'expired',
    },
  });
});

it('gives lines of JSON with what the client sent, whatever bytes these are', () => {
  const bytes = fc
    .array(fc.integer({ min: 0, max: 0xff }), { maxLength: 100 })
    .map(each => String.fromCharCode(...each).replace(/[?&%=@]/g, '.'));
  fc.assert(
    fc.property(bytes, bytes, bytes, bytes, (url, userAgent, referer, range) => {
      const fields = ['User-Agent', userAgent, 'Referer', referer, 'Range', range];
      const line = lineOf(exchangeFor({ url, fields }));
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(Buffer.from(line).toString())).toMatchObject({ url, userAgent, referer, range });
      const other = lineOf(exchangeFor({ url, fields }), combined);
      expect(other).toMatch(
        /^- - - \[01\/Jan\/2026:00:00:00 \+0000\] "(?:[^"\\]|\\.)*" 200 10( "(?:[^"\\]|\\.)*"){2}\n$/,
      );
    }),
  );
});

it('writes the Combined Log Format', () => {
  const fields = ['Referer', 'https://a.test/"x"', 'User-Agent', 'a\\b "c"\n'];
  const asked = { address: '2001:db8::1', fields, url: '/b/a"b' };
  expect(lineOf(exchangeFor(asked, { caller: 'A K' }), combined)).toBe(
    String.raw`2001:db8::1 - A\x20K [01/Jan/2026:00:00:00 +0000] "GET /b/a\"b HTTP/1.1" 200 10 "https://a.test/\"x\"" "a\\b \"c\"\x0a"` +
      '\n',
  );
});

it('has a hyphen in the Combined Log Format for what there is not, and 499 for a client that was not answered', () => {
  expect(lineOf(exchangeFor({}, { status: 0, bodyBytes: 0 }), combined)).toBe(
    '- - - [01/Jan/2026:00:00:00 +0000] "GET /b/k HTTP/1.1" 499 - "-" "-"\n',
  );
});

it.each([
  '/b/k?X-Amz-Signature=5ec2e7&x=1',
  '/b/k?x=1&X-Amz-Security-Token=5ec2e7',
  '/b/k?%58-Amz-Signat%75re=5ec2e7',
  '/b/k?%2558-Amz-Signature=5ec2e7',
  '/b/k?AWSAccessKeyId=AK&Signature=5ec2e7',
  '/b/k?x-amz-server-side-encryption-customer-key=5ec2e7',
  '/b/k/5ec2e7configured',
  '/b/k/%35ec2e7configur%65d',
])('removes the secret of %s from URL, referer and user agent in both formats', url => {
  const redactor = { current: createRedactor(['5ec2e7configured']) };
  const fields = ['Referer', `https://a.test${url}`, 'User-Agent', `agent ${url.replaceAll('%35', '5')}`];
  for (const format of ['json', 'combined'] as const) {
    const line = lineOf(exchangeFor({ url, fields }), { format, redactor });
    const isEncodedAgent = /%/.test(url) && !/configur/.test(url);
    expect(isEncodedAgent ? line.slice(0, line.indexOf('agent ')) : line).not.toContain('5ec2e7');
    expect(line).toContain('[redacted]');
  }
});

it('cuts what a client says of itself', () => {
  const fields = [
    'User-Agent',
    'u'.repeat(9_000),
    'Referer',
    `/${'r'.repeat(9_000)}`,
    'Range',
    '0'.repeat(9_000),
  ];
  for (const format of ['json', 'combined'] as const)
    expect(lineOf(exchangeFor({ fields }), { format }).length).toBeLessThan(3_600);
});

it.each(['User-Agent', 'Referer', 'Range'])(
  'law 7: shows no signature that is in %s, however it is written',
  name => {
    const signature = '0123456789abcdef0123456789abcdef';
    const texts = [
      `curl http://x/?X-Amz-Signatur%65=${signature}`,
      `curl http://x/?a=%26X-Amz-Signature%3D${signature}`,
      `curl http://x/?X-Amz-Signature%2500=${signature}`,
    ];
    for (const text of texts)
      for (const format of ['json', 'combined'] as const)
        expect(lineOf(exchangeFor({ fields: [name, text] }), { format })).not.toContain(signature);
  },
);

it.each(['User-Agent', 'Referer', 'Range'])('law 7: cuts %s behind its secrets, not within', name => {
  const secret = 'planted"secret"of-forty-characters-012345';
  const redactor = { current: createRedactor([secret]) };
  for (const before of [0, 1_000, 1_020])
    for (const format of ['json', 'combined'] as const) {
      const fields = [name, `${'x'.repeat(before)}${secret} ${'y'.repeat(1_100)}`];
      expect(lineOf(exchangeFor({ fields }), { format, redactor })).not.toContain('planted');
    }
});

it('leaves out lines of a sample, but none of failures', () => {
  const lines: string[] = [];
  const random = [0.05, 0.1, 0.9, 0.9, 0.0999];
  const log = accessLogTo(line => void lines.push(line), {
    ...{ sample: 0.1, random: () => random.shift() ?? 0 },
  });
  log.note(exchangeFor({ url: '/b/1' }), 1_001);
  log.note(exchangeFor({ url: '/b/2' }), 1_001);
  log.note(exchangeFor({ url: '/b/3' }), 1_001);
  log.note(exchangeFor({ url: '/b/4' }, { status: 500 }), 1_001);
  log.note(exchangeFor({ url: '/b/5' }, { failure: new Error('cut off') }), 1_001);
  log.note(exchangeFor({ url: '/b/6' }, { status: 404 }), 1_001);
  log.note(exchangeFor({ url: '/b/7' }, { status: 404 }), 1_001);
  expect(lines.map(line => JSON.parse(line).url)).toEqual(['/b/1', '/b/4', '/b/5', '/b/7']);
});

it('tells of each request what is its own, whatever the requests before were', () => {
  const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values);
  const askedFor = fc.record({
    ...{ url: oneOf('/b/k', '/b/l'), method: oneOf('GET', 'PUT'), httpVersion: oneOf('1.1', '1.0', '2.0') },
    ...{ address: oneOf('::1', '::2', undefined), tlsVersion: oneOf('TLSv1.2', 'TLSv1.3', undefined) },
    fields: oneOf(['User-Agent', 'a'], ['User-Agent', 'b'], ['User-Agent', ''], []),
  });
  const outcome = fc.record({
    ...{ bucket: oneOf('b', 'c'), operation: oneOf('GetObject', 'PutObject'), status: oneOf(200, 206, 404) },
    ...{ bodyBytes: oneOf(0, 10), report: oneOf({ result: 'HIT' }, { result: 'MISS' }) },
  });
  const request = fc.tuple(askedFor, outcome, oneOf(0, 1, 999, 1_000));
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), requests => {
      const clock = new ManualClock();
      const lines: string[] = [];
      const log = accessLogTo(line => void lines.push(line), { clock });
      for (const [asked, different, laterMs] of requests) {
        clock.advance(laterMs);
        const exchange = () => exchangeFor(asked as Asked, different as Partial<Exchange>);
        log.note(exchange(), 1_001.25);
        expect(lines.pop()).toBe(lineOf(exchange(), { clock }));
      }
    }),
  );
});

it('removes a secret that is learned later also from what was told of requests before', () => {
  const lines: string[] = [];
  const redactor = { current: createRedactor([]) };
  const log = accessLogTo(line => void lines.push(line), { redactor });
  const exchange = () => exchangeFor({ fields: ['User-Agent', 'agent 5ec2e7ed'] });
  log.note(exchange(), 1_001);
  redactor.current = createRedactor(['5ec2e7ed']);
  log.note(exchange(), 1_001);
  expect(lines.map(line => JSON.parse(line).userAgent)).toEqual(['agent 5ec2e7ed', 'agent [redacted]']);
});
