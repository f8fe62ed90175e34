import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GrantRule } from '../../../src/s3/grants.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { contentMd5 } from '../../support/content-md5.ts';
import { OWNER, signWithSdk } from '../../support/embedded-store/store-under-test.ts';
import { posted } from '../../support/posted-form.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { turnsUntil } from '../../support/turns-until.ts';

const mebibyte = 1024 * 1024;

/** A connection to the gateway: what it sends is written by a test, and what it hears is collected. */
class Talker {
  heard = '';
  isClosed = false;
  readonly socket: Socket;
  #wake: () => void = () => undefined;

  constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.socket.setEncoding('latin1').on('error', () => undefined);
    this.socket.on('data', chunk => {
      this.heard += chunk;
      this.#wake();
    });
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  say(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Waits until what was heard matches, or the connection is closed. */
  async hears(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.heard) && !this.isClosed)
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    return this.heard;
  }
}

const head = (path: string, lengthBytes: number, more = '') =>
  `PUT ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${lengthBytes}\r\n${more}\r\n`;

const md5Of = (body: string) => contentMd5(body)['content-md5'];

function post(path: string, body: string, contentType = 'application/xml'): string {
  const length = Buffer.byteLength(body);
  const lines = [`content-type: ${contentType}`, `content-length: ${length}`, `content-md5: ${md5Of(body)}`];
  return `POST ${path} HTTP/1.1\r\nhost: gateway\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function form(file: string): string {
  const { headers, body } = posted({ fields: { key: 'k' }, file });
  return post('/b', body.toString('latin1'), headers['content-type']);
}

/** A store that keeps what arrives on each connection, and answers when a test says so. */
class ListeningStore {
  readonly sockets: Socket[] = [];
  received = '';
  closed = 0;
  #bytes = 0;
  #wake: () => void = () => undefined;
  readonly raw: RawStore;

  private constructor(raw: RawStore) {
    this.raw = raw;
  }

  static async start(): Promise<ListeningStore> {
    const raw = await RawStore.start(socket => store.#met(socket));
    const store = new ListeningStore(raw);
    return store;
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue())
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
  }

  /** Whether the first request has arrived, with its body. */
  get hasRequest(): boolean {
    const [request = ''] = this.raw.requests;
    const length = Number(/^content-length: *(\d+)/im.exec(request)?.[1] ?? 0);
    return request !== '' && this.#bytes - request.length >= length;
  }

  answer(text: string): void {
    this.sockets.at(-1)?.write(text, 'latin1');
  }

  #met(socket: Socket): void {
    if (this.sockets.includes(socket)) return;
    this.sockets.push(socket);
    this.#bytes = socket.bytesRead;
    socket.on('data', bytes => {
      this.received += bytes.toString('latin1');
      this.#bytes = socket.bytesRead;
      this.#wake();
    });
    socket.on('close', () => {
      this.closed++;
      this.#wake();
    });
    this.#wake();
  }
}

/** How many requests were counted as answered, or left by their clients. */
function countedRequests(gateway: TestGateway): Promise<number> {
  return counted(gateway, 'tidegate_requests_total');
}

/** How many requests the store has answered, or at least begun to. */
function countedAnswers(gateway: TestGateway): Promise<number> {
  return counted(gateway, 'tidegate_backend_requests_total');
}

async function counted(gateway: TestGateway, family: string): Promise<number> {
  const families = await gateway.metrics[0]?.snapshot();
  const requests = families?.find(({ name }) => name === family);
  return requests?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
}

const created = 'HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: 0\r\n\r\n';
const denied =
  'HTTP/1.1 403 Forbidden\r\ncontent-type: application/xml\r\ncontent-length: 68\r\n\r\n<Error><Code>AccessDenied</Code><Message>Not here.</Message></Error>';

describe('the way of a body', () => {
  let store: ListeningStore;
  let gateway: TestGateway;
  let client: Talker;

  beforeEach(async () => {
    store = await ListeningStore.start();
    gateway = await TestGateway.start({ storeUrl: store.raw.url, listener: 'worker' });
    client = new Talker(gateway.url());
  });

  afterEach(async () => {
    client.socket.destroy();
    await gateway.close();
    await store.raw.close();
  });

  it('the store gets a body as it comes, and its end only when it is complete', async () => {
    client.say(head('/b/k', 300_000) + 'x'.repeat(299_999));
    await store.until(() => store.received.length > 100_000);
    expect(store.raw.requests[0]).toMatch(/^PUT \/b\/k HTTP\/1.1\r\n[\s\S]*content-length: 300000\r\n/);
    client.say('9');
    await store.until(() => store.received.endsWith('x9'));
    store.answer(created);
    expect(await client.hears(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*etag: "e"/);
  });

  it('a body that is not what was declared never reaches the store whole', async () => {
    const wrong = `x-amz-checksum-crc32: AAAAAA==\r\n`;
    client.say(head('/b/k', 200_000, wrong) + 'x'.repeat(200_000));
    expect(await client.hears(/<\/Error>/)).toMatch(/^HTTP\/1.1 400 [\s\S]*<Code>BadDigest<\/Code>/);
    await store.until(() => store.sockets.length === 0 || store.closed === 1);
    expect(store.received.length).toBeLessThan(200_000);
  });

  it('a refusal of the store is passed on while the body still comes', async () => {
    client.say(head('/b/k', 10 * mebibyte) + 'x'.repeat(100_000));
    await store.until(() => store.sockets.length === 1);
    store.answer(denied);
    const heard = await client.hears(/<\/Error>/);
    expect(heard).toMatch(/^HTTP\/1.1 403 [\s\S]*<Code>AccessDenied<\/Code>/);
    expect(heard).toMatch(/\r\nconnection: close\r\n/i);
  });

  it.each(['goes on', 'closes'])('also when its body comes after its head, and the store %s', async how => {
    client.say(head('/b/k', 10 * mebibyte) + 'x'.repeat(100_000));
    await store.until(() => store.sockets.length === 1);
    const [start = '', body = ''] = denied.split(/(?<=\r\n\r\n)/);
    store.answer(start + body.slice(0, 10));
    await expect.poll(() => countedAnswers(gateway)).toBe(1);
    if (how === 'goes on') store.answer(body.slice(10));
    else store.sockets.at(-1)?.end(body.slice(10), 'latin1');
    const heard = await client.hears(/<\/Error>/);
    expect(heard).toMatch(/^HTTP\/1.1 403 [\s\S]*<Message>Not here.<\/Message>/);
  });

  it('a store that accepts a body before its end is not believed', async () => {
    client.say(head('/b/k', mebibyte) + 'x'.repeat(100_000));
    await store.until(() => store.sockets.length === 1);
    store.answer(created);
    expect(await client.hears(/<\/Error>/)).toMatch(/^HTTP\/1.1 502 /);
    await store.until(() => store.closed === 1);
  });

  it('a client that leaves in its body cuts off the request to the store', async () => {
    client.say(head('/b/k', mebibyte) + 'x'.repeat(200_000));
    await store.until(() => store.sockets.length === 1);
    client.socket.resetAndDestroy();
    await store.until(() => store.closed === 1);
    expect(store.received.length).toBeLessThan(mebibyte);
  });

  it('a client that ends its half of the connection in its body is told so, and the store is cut off', async () => {
    client.say(head('/b/k', mebibyte) + 'x'.repeat(200_000));
    await store.until(() => store.sockets.length === 1);
    client.socket.end();
    expect(await client.hears(/<\/Error>/)).toMatch(/^HTTP\/1.1 400 [\s\S]*<Code>IncompleteBody<\/Code>/);
    await store.until(() => store.closed === 1);
  });

  const inChunks = 'PUT /b/k HTTP/1.1\r\nhost: gateway\r\ntransfer-encoding: chunked\r\n';
  const isDecoded = 'content-encoding: aws-chunked\r\nx-amz-decoded-content-length: 1000\r\n';
  const isTrailed =
    'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nx-amz-trailer: x-amz-checksum-crc32\r\n';
  it.each([
    ['ends too early', `${head('/b/k', 1_000)}${'x'.repeat(500)}`],
    ['has chunks that are none', `${inChunks}${isDecoded}${isTrailed}\r\nZZ\r\nhello`],
    ['is a form that ends too early', form('x'.repeat(20)).slice(0, -30)],
  ])('who sends a body that %s behind a request that is not answered yet is told so', async (_, broken) => {
    client.say(`${head('/b/k', 3)}abc${broken}`);
    client.socket.end();
    await store.until(() => store.sockets.length === 1);
    store.answer(created);
    expect(await client.hears(/<\/Error>/)).toMatch(
      /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 400 [\s\S]*<Code>IncompleteBody<\/Code>/,
    );
    await once(client.socket, 'close');
  });

  it('a broken connection is not tried again: the store may have carried out the write', async () => {
    client.say(`${head('/b/k', 3)}abc`);
    await store.until(() => store.sockets.length === 1);
    store.sockets[0]?.destroy();
    expect(await client.hears(/<\/Error>/)).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nretry-after: 1\r\n/i);
    client.say('DELETE /b/k HTTP/1.1\r\nhost: gateway\r\n\r\n');
    await store.until(() => store.sockets.length === 2);
    store.sockets[1]?.destroy();
    expect(await client.hears(/<\/Error>[\s\S]*<\/Error>/)).toMatch(/503 [\s\S]*503 /);
    expect(store.raw.requests.map(request => request.split(' ')[0])).toEqual(['PUT', 'DELETE']);
  });

  it.each([
    ['PutObject', `${head('/b/k', 3)}abc`],
    ['a deletion', `DELETE /b/k HTTP/1.1\r\nhost: gateway\r\n\r\n`],
    ['DeleteObjects', post('/b?delete', '<Delete><Object><Key>k</Key></Object></Delete>')],
    ['RestoreObject', post('/b/k?restore', '<RestoreRequest><Days>1</Days></RestoreRequest>')],
    ['a small form', form('x'.repeat(20))],
    ['a large form', form('x'.repeat(1_500_000))],
  ])(
    '%s counts among those that wait until the store has answered, also when its client has left',
    async (_, request) => {
      const waiting = () => gateway.gateways[0]?.waiting.requests;
      client.say(request);
      await store.until(() => store.hasRequest);
      expect(waiting()).toBe(1);
      client.socket.resetAndDestroy();
      await turnsUntil('its log line is written', async () => (await countedRequests(gateway)) === 1);
      expect(waiting()).toBe(1);
      store.answer(created);
      await turnsUntil('nothing waits', () => waiting() === 0);
    },
  );

  it('an object that is too large for one piece is refused at once, before it is sent', async () => {
    client.say(head('/b/k', 5 * 1024 ** 3 + 1, 'expect: 100-continue\r\n'));
    expect(await client.hears(/<\/Error>/)).toMatch(
      /^HTTP\/1.1 400 [\s\S]*<Code>EntityTooLarge<\/Code>[\s\S]*<MaxSizeAllowed>5368709120</,
    );
    expect(store.sockets).toHaveLength(0);
  });

  it.each(['PUT /b?tagging', 'PUT /b/k?tagging', 'POST /b?delete', 'POST /b/k?restore'])(
    'chunks are taken of objects and parts alone: %s',
    async line => {
      const stream =
        'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nx-amz-decoded-content-length: 1';
      client.say(
        `${line} HTTP/1.1\r\nhost: gateway\r\n${stream}\r\ncontent-length: 12\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
      );
      expect(await client.hears(/<\/Error>/)).toMatch(
        /^HTTP\/1.1 400 [\s\S]*<Code>InvalidRequest<.*The value of x-amz-content-sha256 header is invalid/,
      );
      expect(store.sockets).toHaveLength(0);
    },
  );

  it.each([
    ['DeleteObjects', '/b?delete', 2 * mebibyte + 1],
    ['RestoreObject', '/b/k?restore', 64 * 1024 + 1],
  ])('%s with a body that is too long is refused before the body is sent', async (_, path, lengthBytes) => {
    const lines = ['host: gateway', 'expect: 100-continue', `content-length: ${lengthBytes}`];
    client.say(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    expect(await client.hears(/<\/Error>|100 Continue/)).toMatch(/^HTTP\/1.1 400 [\s\S]*<Code>MalformedXML</);
  });

  it('law 8: lists of deletions that are announced and not sent hold no more memory than there is for them', async () => {
    const digest = md5Of('');
    const announcing = Array.from({ length: 33 }, () => new Talker(gateway.url()));
    for (const each of announcing)
      each.say(
        `POST /b?delete HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${2 * mebibyte}\r\ncontent-md5: ${digest}\r\n\r\n`,
      );
    const refused = await Promise.race(announcing.map(each => each.hears(/<\/Error>/)));
    for (const { socket } of announcing) socket.destroy();
    expect(refused).toMatch(/^HTTP\/1.1 503 [\s\S]*<Code>SlowDown</);
  });

  it('the connection is kept after a body that was read, and what follows is the next request', async () => {
    client.say(`${head('/b/k', 70_000)}${'x'.repeat(70_000)}GET /b/k HTTP/1.1\r\nhost: gateway\r\n\r\n`);
    await store.until(() => store.received.length >= 70_000 - 65_536);
    await store.until(() => store.sockets.length === 1);
    store.answer(created);
    await store.until(() => store.raw.requests.length >= 2 || store.received.includes('GET /b/k'));
    store.answer('HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: 2\r\n\r\nok');
    expect(await client.hears(/ok$/)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*HTTP\/1.1 200 OK/);
  });

  it('no body is taken without a length: the store has to be told one', async () => {
    client.say(
      'PUT /b/k HTTP/1.1\r\nhost: gateway\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
    expect(await client.hears(/<\/Error>/)).toMatch(
      /^HTTP\/1.1 411 [\s\S]*<Code>MissingContentLength<\/Code>/,
    );
    expect(store.sockets).toHaveLength(0);
  });

  it.each([
    ['whose framing is ambiguous', 'transfer-encoding: gzip, chunked', '3\r\nabc\r\n0\r\n\r\n', 501],
    ['without a length', 'transfer-encoding: chunked', '3\r\nabc\r\n0\r\n\r\n', 411],
    ['that expects something unknown', 'expect: 200-ok\r\ncontent-length: 3', 'abc', 417],
  ])('what stands behind a refused body %s is no request', async (_, fields, body, status) => {
    const refused = `PUT /b/k HTTP/1.1\r\nhost: gateway\r\n${fields}\r\n\r\n${body}`;
    client.say(`${refused}DELETE /b/evil HTTP/1.1\r\nhost: gateway\r\n\r\n`);
    expect(await client.hears(/<\/Error>/)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, 'i'),
    );
    client.socket.end();
    while (!client.isClosed) await once(client.socket, 'close');
    expect(store.sockets).toHaveLength(0);
  });

  it('bytes of a body are counted as they come, not when it has ended', async () => {
    client.say(`${head('/b/k', 200_000)}${'x'.repeat(150_000)}`);
    const isCounted = async () => (await counted(gateway, 'tidegate_request_bytes_total')) === 150_000;
    await turnsUntil('what was sent is counted', isCounted);
    client.say('x'.repeat(50_000));
    await store.until(() => store.hasRequest);
    store.answer(created);
    await client.hears(/\r\n\r\n/);
    expect(await counted(gateway, 'tidegate_request_bytes_total')).toBe(200_000);
  });

  it.each([500, 2_000_000])('all of a form with a file of %d bytes is counted', async lengthBytes => {
    const posting = form('x'.repeat(lengthBytes));
    client.say(posting);
    await store.until(() => store.hasRequest);
    store.answer(created);
    await client.hears(/\r\n\r\n/);
    const bodyBytes = posting.length - posting.indexOf('\r\n\r\n') - 4;
    expect(await counted(gateway, 'tidegate_request_bytes_total')).toBe(bodyBytes);
  });
});

describe('what a write is allowed', () => {
  let lab: Lab;

  const start = async (anonymous: readonly GrantRule[]) => {
    lab = await Lab.start({ buckets: { box: {} }, anonymous: { box: anonymous } });
    await lab.store.put('/box');
  };
  afterEach(() => lab.stop());

  it('no caller without a signature writes, unless `anonymous` names it', async () => {
    await start([{ actions: ['GetObject'], keys: ['**'] }]);
    const before = await lab.requests();
    for (const method of ['PUT', 'DELETE'])
      expect((await lab.ask({ path: '/box/k', method, as: 'anonymous' })).status).toBe(403);
    expect(await lab.requests()).toBe(before);
  });

  it('an anonymous grant holds for its operation and its keys alone', async () => {
    await start([{ actions: ['PutObject'], keys: ['in/**'] }]);
    const ask = (method: string, path: string) => lab.ask({ path, method, as: 'anonymous' });
    expect((await ask('PUT', '/box/in/k')).status).toBe(200);
    expect((await ask('PUT', '/box/out/k')).status).toBe(403);
    expect((await ask('DELETE', '/box/in/k')).status).toBe(403);
  });

  it.each([
    [{ acl: 'public-read' }, 403],
    [{ 'grant-read': 'uri="http://acs.amazonaws.com/groups/global/AllUsers"' }, 403],
    [{ tagging: 'a=1' }, 403],
    [{ 'object-lock-legal-hold': 'ON' }, 403],
    [{ 'meta-snowball-auto-extract': 'true' }, 501],
    [{ acl: 'private' }, 200],
    [{ 'meta-colour': 'blue' }, 200],
  ])(
    'who may write an object may not for that reason publish, tag or lock it: %o',
    async (fields, status) => {
      await start([{ actions: ['PutObject'], keys: ['**'] }]);
      expect((await lab.ask({ path: '/box/k', method: 'PUT', as: 'anonymous', fields })).status).toBe(status);
    },
  );

  it.each([
    ['x-amz-copy-source=/box/other', 501],
    ['x-amz-write-offset-bytes=4', 501],
    ['x-amz-meta-snowball-auto-extract=true', 501],
    ['X-Amz-Meta-Minio-Snowball-Prefix=private', 501],
    ['x-amz-server-side-encryption-customer-key=a2V5', 501],
    ['partNumber=1', 400],
    ['uploadid=u&partNumber=1', 400],
    ['versionId=v', 400],
    ['partNumber%20=1', 400],
    ['%09Part_Number=1', 400],
    ['x-id=UploadPart', 400],
    ['X-Id=CopyObject', 400],
    ['x-amz-copy-source-range=bytes%3D0-1', 501],
  ])('an object is not replaced where its client asks for something else: %s', async (parameters, status) => {
    await start([{ actions: ['PutObject'], keys: ['**'] }]);
    await lab.store.put('/box/k', 'kept');
    const path = `/box/k?${parameters}`;
    expect((await lab.ask({ path, method: 'PUT', as: 'anonymous' })).status).toBe(status);
    expect((await lab.askStore({ path: '/box/k' })).text).toBe('kept');
  });

  it('a request that says which operation it is, as SDKs do, is that one', async () => {
    await start([{ actions: ['PutObject', 'DeleteObject'], keys: ['**'] }]);
    const ask = (method: string, name: string) =>
      lab.ask({ path: `/box/k?x-id=${name}`, method, as: 'anonymous' });
    expect((await ask('PUT', 'PutObject')).status).toBe(200);
    expect((await ask('DELETE', 'DeleteObjectTagging')).status).toBe(400);
    expect((await ask('DELETE', 'DeleteObject')).status).toBe(204);
  });

  it('a version is deleted only by who may delete versions', async () => {
    await start([{ actions: ['DeleteObject'], keys: ['**'] }]);
    const ask = (path: string) => lab.ask({ path, method: 'DELETE', as: 'anonymous' });
    expect((await ask('/box/k')).status).toBe(204);
    expect((await ask('/box/k?versionId=null')).status).toBe(403);
  });

  it('a body that is not the signed one is refused, and nothing of it is stored', async () => {
    await start([{ actions: ['ListBucket', 'GetObject'], keys: ['**'] }]);
    const signed = await signWithSdk(
      lab.gateway.url(),
      { method: 'PUT', path: '/box/k', body: 'this' },
      OWNER,
      lab.store.clock.nowMs(),
    );
    const reply = await rawRequest(lab.gateway.url(), { ...signed, body: 'that' });
    expect([reply.status, /<Code>(.*?)<\/Code>/.exec(reply.text)?.[1]]).toEqual([
      400,
      'XAmzContentSHA256Mismatch',
    ]);
    expect((await lab.askStore({ path: '/box/k' })).status).toBe(404);
    expect((await rawRequest(lab.gateway.url(), signed)).status).toBe(200);
    expect((await lab.ask({ path: '/box/k' })).text).toBe('this');
  });
});

describe('Expect: 100-continue', () => {
  let store: ListeningStore;
  let gateway: TestGateway;
  let client: Talker;

  const start = async (isAllowed: boolean) => {
    store = await ListeningStore.start();
    gateway = await TestGateway.start({
      storeUrl: store.raw.url,
      listener: 'worker',
      allows: () => isAllowed,
    });
    client = new Talker(gateway.url());
  };
  afterEach(async () => {
    client.socket.destroy();
    await gateway.close();
    await store.raw.close();
  });

  it.each([3, 100_000])('a client that may write is told to send its body of %d bytes', async lengthBytes => {
    await start(true);
    client.say(head('/b/k', lengthBytes, 'expect: 100-continue\r\n'));
    expect(await client.hears(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.say('x'.repeat(lengthBytes));
    await store.until(() => store.sockets.length === 1);
    store.answer(created);
    expect(await client.hears(/etag/)).toMatch(/Continue\r\n\r\nHTTP\/1.1 200 OK/);
    expect(client.heard).not.toMatch(/connection: close/i);
  });

  it.each([3, 100_000])(
    'one that may not is refused instead, and its connection closed (%d bytes)',
    async lengthBytes => {
      await start(false);
      client.say(head('/b/k', lengthBytes, 'expect: 100-continue\r\n'));
      expect(await client.hears(/<\/Error>/)).toMatch(/^HTTP\/1.1 403 [\s\S]*\r\nconnection: close\r\n/i);
      expect(store.sockets).toHaveLength(0);
    },
  );
});
