import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { describingBytes } from '../support/self-describing.ts';

const MIB = 2 ** 20;
const CONTENT = describingBytes({ object: 1, version: 1 }, 0, 4 * MIB);

let store: Server | undefined;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  store?.closeAllConnections();
  store?.close();
});

/** A store with one object, which takes requests with this token alone. */
async function startStore(accepted: { token: string }): Promise<string> {
  store = createServer(({ headers, method }, reply) => {
    if (headers['x-amz-security-token'] !== accepted.token)
      return reply.writeHead(403).end('<Error><Code>InvalidToken</Code><Message>m</Message></Error>');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const from = Number(first ?? 0);
    const bytes = CONTENT.subarray(from, last === undefined ? CONTENT.length : Number(last) + 1);
    const range =
      first === undefined
        ? {}
        : { 'content-range': `bytes ${from}-${from + bytes.length - 1}/${CONTENT.length}` };
    reply.writeHead(first === undefined ? 200 : 206, {
      ...{ etag: '"1"', 'last-modified': 'Mon, 02 Nov 2026 10:00:00 GMT', 'content-length': bytes.length },
      ...range,
    });
    return reply.end(method === 'HEAD' ? undefined : bytes);
  });
  await new Promise<void>(resolve => store?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
}

it.each([1, 2])(
  'what is held in part is read on with the credentials of a reload, by %d workers',
  async workers => {
    const accepted = { token: 'of-last-year' };
    const endpoint = await startStore(accepted);
    const setup = (sessionToken: string): GatewaySetup => ({
      ...{ workers, memory: '64MiB' },
      backends: {
        main: {
          ...{ type: 's3', endpoint },
          credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken },
        },
      },
      buckets: { box: { backend: 'main', access: 'public', cache: { ttl: '1h' } } },
    });
    gateway = await GatewayProcess.start(setup('of-last-year'));
    const url = `${gateway.url}/box/k`;
    const read = async (range: string) => {
      const answer = await fetch(url, { headers: { range } });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    expect((await read('bytes=0-9')).status).toBe(206);
    accepted.token = 'of-this-year';
    gateway.rewrite(setup('of-this-year'));
    expect((await gateway.reload()).status).toBe(200);
    const rest = await read(`bytes=${3 * MIB}-${4 * MIB - 1}`);
    expect(rest.status).toBe(206);
    expect(rest.bytes.equals(CONTENT.subarray(3 * MIB))).toBe(true);
    const whole = await fetch(url);
    expect(Buffer.from(await whole.arrayBuffer()).equals(CONTENT)).toBe(true);
  },
);
