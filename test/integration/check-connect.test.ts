import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { ProbeStores } from '../../src/cli/connect-report.ts';
import { runProgram } from '../../src/cli/program.ts';
import { connectToStores } from '../../src/wiring/connection-check.ts';
import { OWNER, StoreUnderTest } from '../support/embedded-store/store-under-test.ts';
import { queueAccount, StandInQueue } from '../support/stand-in-queue.ts';

let directory: string;
let stops: (() => Promise<unknown>)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-check-'));
  stops = [];
});

afterEach(async () => {
  for (const stop of stops) await stop();
  rmSync(directory, { recursive: true });
});

/** `tidegate check --connect` of a configuration. */
async function check(yaml: string, connect: ProbeStores = connectToStores) {
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(file, yaml);
  const out: string[] = [];
  const end = await runProgram(['check', '--connect', '-c', file], {
    version: '1.2.3',
    environment: {},
    serve: async () => {},
    serveStore: async () => {},
    clock: systemClock,
    signals: new EventEmitter(),
    build: async () => undefined,
    connect,
    print: line => void out.push(line),
    printError: line => void out.push(line),
  });
  return { exitCode: end.kind === 'ended' ? end.exitCode : undefined, out: out.join('\n') };
}

async function exactStore(): Promise<string> {
  const store = await StoreUnderTest.start();
  stops.push(() => store.stop());
  await store.put('/box');
  await store.put('/box/folder/a', 'content');
  return store.url;
}

/** A store of files: it has one object, `folder/a`, and takes every path that leads there for it. */
async function pathStore(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server: Server = createServer(({ method, url = '/' }, reply) => {
    asked.push(`${method} ${url}`);
    const path = posix.normalize(decodeURIComponent(url.split('?')[0] ?? ''));
    if (path.replace(/\/$/, '') === '/box') {
      reply.end('<ListBucketResult><Contents><Key>folder/a</Key></Contents></ListBucketResult>');
    } else {
      const isThere = path === '/box/folder/a';
      reply.writeHead(isThere ? 200 : 404, isThere ? { etag: '"1"', 'content-length': '7' } : {}).end();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise(resolve => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const signed = `credentials: { accessKeyId: ${OWNER.accessKeyId}, secretAccessKey: ${OWNER.secretAccessKey} }`;
const restricted =
  'buckets: { box: { backend: main, access: public, anonymous: [{ actions: [GetObject], keys: ["a/**"] }] } }';
const open = 'buckets: { box: { backend: main, access: verify } }';

it('finds out that a store keeps keys apart', async () => {
  const url = await exactStore();
  const main = (keys: string) =>
    `backends: { main: { type: s3, endpoint: "${url}", ${signed}${keys} } }\n${restricted}`;
  const asConfigured = await check(main(', keys: exact'));
  expect(asConfigured).toMatchObject({ exitCode: 0, out: expect.stringContaining('backends.main is exact') });
  expect(await check(main(', keys: path'))).toMatchObject({ exitCode: 0 });
  const missing = await check(main(''));
  expect(missing).toMatchObject({ exitCode: 2, out: expect.stringContaining('write keys: exact') });
  // no start takes it yet
  expect(missing.out).toContain('tidegate.yaml can be used once it has backends.main.keys: 1 bucket');
  expect(asConfigured.out).toContain('tidegate.yaml is fine: 1 bucket');
});

it('finds out that a store takes keys for paths, without writing or reading an object', async () => {
  const { url, asked } = await pathStore();
  const main = (keys: string, buckets: string) =>
    `backends: { main: { type: s3, endpoint: "${url}"${keys} } }\n${buckets}`;
  expect(await check(main(', keys: path', restricted))).toMatchObject({ exitCode: 0 });
  const wrong = await check(main(', keys: exact', restricted));
  expect(wrong).toMatchObject({ exitCode: 2, out: expect.stringContaining('backends.main is path') });
  expect(wrong.out).toContain('write path');
  expect(await check(main('', open))).toMatchObject({ exitCode: 0 });
  for (const line of asked) expect(line).toMatch(/^(HEAD |GET \/box\?list-type=2)/);
});

it('asks with what rules give to requests', async () => {
  const server = createServer(({ url = '/', headers }, reply) => {
    const [path = ''] = url.split('?');
    const token = path === '/box' ? 'any' : path === '/box/folder/a' ? 'of folder' : 'any';
    const isThere = path === '/box' || path === '/box/folder/a';
    const isAllowed = headers['x-token'] === token;
    reply.writeHead(isAllowed ? (isThere ? 200 : 404) : 403, { etag: '"1"' });
    reply.end('<ListBucketResult><Contents><Key>folder/a</Key></Contents></ListBucketResult>');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise(resolve => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const token = (keys: string, value: string) =>
    `{ keys: ["${keys}"], requestHeaders: { set: { x-token: ${value} } } }`;
  const rules = `rules: [${token('folder/a', 'of folder')}, ${token('**', 'any')}]`;
  const backend = `backends: { main: { type: s3, endpoint: "http://127.0.0.1:${port}", credentials: none, keys: exact } }`;
  const checked = await check(`${backend}\nbuckets: { box: { backend: main, access: verify, ${rules} } }`);
  expect(checked).toMatchObject({ exitCode: 0, out: expect.stringContaining('backends.main is exact') });
  const untold = await check(`${backend}\n${open}`);
  expect(untold).toMatchObject({ exitCode: 1, out: expect.stringContaining('403') });
});

it('tells what it could not find out, and what to try', async () => {
  const store = await StoreUnderTest.start();
  stops.push(() => store.stop());
  await store.put('/box');
  const main = (more: string, buckets: string) =>
    `backends: { main: { type: s3, endpoint: "${store.url}"${more} } }\n${buckets}`;
  const empty = await check(main(`, ${signed}`, open));
  expect(empty).toMatchObject({ exitCode: 0, out: expect.stringContaining('no object in box') });
  expect(empty.out).toContain('put an object');
  expect(await check(main(`, ${signed}`, restricted))).toMatchObject({ exitCode: 2 });
  const stranger = 'credentials: { accessKeyId: x, secretAccessKey: hunter22 }';
  const refused = await check(main(`, ${stranger}`, open));
  expect(refused).toMatchObject({ exitCode: 1, out: expect.stringContaining('403 InvalidAccessKeyId') });
  expect(refused.out).not.toContain('hunter22');
  expect(await check(main(`, ${signed}`, ''))).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('names no bucket there'),
  });
});

it('names a bucket that is missing, also beside one that is there', async () => {
  const url = await exactStore();
  const yaml = (buckets: string) =>
    `backends: { main: { type: s3, endpoint: "${url}", ${signed}, keys: exact } }
buckets: { ${buckets} }`;
  const missing = 'photos: { backend: main, bucket: photos-production, access: verify }';
  const said = `backends.main at ${url} answers 404 NoSuchBucket to a listing of the bucket "photos-production": create it, or name the one that is meant in buckets.photos.bucket`;
  const alone = await check(yaml(missing));
  expect(alone.exitCode).toBe(1);
  expect(alone.out.split('\n').at(-1)).toBe(said);
  const beside = await check(yaml(`box: { backend: main, access: verify }, ${missing}`));
  expect(beside.exitCode).toBe(1);
  expect(beside.out).toContain('backends.main is exact');
  expect(beside.out).toContain(said);
});

it.each([
  [403, 'SignatureDoesNotMatch', 'correct backends.main.credentials'],
  [403, 'AccessDenied', 'let backends.main.credentials list and read it'],
  [301, 'PermanentRedirect', 'correct backends.main.region and backends.main.endpoint'],
  [400, 'AuthorizationHeaderMalformed', 'correct backends.main.region and backends.main.endpoint'],
  [403, 'RequestTimeTooSkewed', 'the clocks of this machine and of the store differ'],
  [400, 'InvalidRequest', 'see endpoint, region, addressing and credentials of backends.main'],
  [501, 'NotImplemented', 'see endpoint, region, addressing and credentials of backends.main'],
  [500, 'InternalError', 'it is in trouble itself, or what stands before it is: see its own state and logs'],
  [
    503,
    'ServiceUnavailable',
    'it is in trouble itself, or what stands before it is: see its own state and logs',
  ],
  [400, 'XAmzContentSHA256Mismatch', 'see endpoint, region, addressing and credentials of backends.main'],
  [503, 'SlowDown', 'it limits requests at the moment: ask again later'],
  [429, 'TooManyRequests', 'it limits requests at the moment: ask again later'],
])('says what to do about %i %s', async (status, code, advice) => {
  const url = await answering((_request, reply) =>
    reply.writeHead(status).end(`<Error><Code>${code}</Code></Error>`),
  );
  const { exitCode, out } = await check(`backends: { main: { type: s3, endpoint: "${url}" } }\n${open}`);
  expect(exitCode).toBe(1);
  expect(out).toContain(`answers ${status} ${code} to a listing of the bucket "box": ${advice}`);
});

it.each(['sk-secret sent to it', 'x'.repeat(65), 'AKIAIOSFODNN7EXAMPLE', '0123456789abcdef'])(
  'does not repeat what is no code: %j',
  async told => {
    const url = await answering((_request, reply) =>
      reply.writeHead(403).end(`<Error><Code>${told}</Code></Error>`),
    );
    const { exitCode, out } = await check(`backends: { main: { type: s3, endpoint: "${url}" } }\n${open}`);
    expect(exitCode).toBe(1);
    expect(out).not.toContain(told);
  },
);

it.each([
  ['an element of its error', {}, '<Region>eu-west-1</Region>', 'the store expects eu-west-1'],
  ['a header field', { 'x-amz-bucket-region': 'eu-west-1' }, '', 'the store expects eu-west-1'],
  ['nothing that is a name', {}, '<Region>no: where</Region>', 'the bucket is in another region'],
])('tells the region that the store names by %s', async (_, fields, element, advice) => {
  const error = `<Error><Code>AuthorizationHeaderMalformed</Code>${element}</Error>`;
  const url = await answering((_request, reply) => reply.writeHead(400, fields).end(error));
  const { out } = await check(`backends: { main: { type: s3, endpoint: "${url}" } }\n${open}`);
  expect(out.split('\n').at(-1)).toContain(advice);
});

it.each([
  ['a page of HTML', '<html>Not Found</html>'],
  ['nothing', ''],
])('takes what answers 404 with %s for no store', async (_, body) => {
  const url = await answering((_request, reply) => reply.writeHead(404).end(body));
  const { exitCode, out } = await check(`backends: { main: { type: s3, endpoint: "${url}" } }\n${open}`);
  expect(exitCode).toBe(1);
  expect(out).toContain('what answers is no store of this protocol');
  expect(out).not.toContain('create it');
});

it('takes one for a store whose object is gone before it is asked for', async () => {
  const listing = '<ListBucketResult><Contents><Key>a/b</Key></Contents></ListBucketResult>';
  const url = await answering(({ method }, reply) =>
    method === 'GET' ? reply.end(listing) : reply.writeHead(404).end(),
  );
  const { out } = await check(`backends: { main: { type: s3, endpoint: "${url}" } }\n${open}`);
  expect(out).toContain('answers status 404 to HEAD of "a/b" of the bucket "box": see endpoint, region');
});

/** The URL of a server that does no more than that. */
async function answering(reply: RequestListener): Promise<string> {
  const server = createServer(reply);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise(resolve => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listening(server: RawServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

it('says in words why a store cannot be reached', async () => {
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));
  const tls = { key: fixture('localhost-key.pem'), cert: fixture('localhost-cert.pem') };
  const certified = await listening(createTlsServer(tls, (_, reply) => reply.end()));
  const plain = await listening(createServer((_, reply) => reply.end()));
  const closing = await listening(
    createRawServer(socket => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end());
    }),
  );
  const silent = await listening(createRawServer(socket => void socket.on('error', () => undefined)));
  // so that a busy machine gives no other reason
  const patient = 'timeouts: { connect: 20s }';
  const { exitCode, out } = await check(`
backends:
  selfSigned: { type: s3, endpoint: "https://127.0.0.1:${certified}", ${patient} }
  noTls: { type: s3, endpoint: "https://127.0.0.1:${plain}", ${patient} }
  closing: { type: s3, endpoint: "http://127.0.0.1:${closing}", ${patient} }
  nobody: { type: s3, endpoint: "http://127.0.0.1:1" }
  silent: { type: s3, endpoint: "http://127.0.0.1:${silent}", timeouts: { firstByte: 300ms } }`);
  expect(exitCode).toBe(1);
  for (const line of [
    'backends.selfSigned cannot be reached: its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT;',
    'backends.noTls cannot be reached: it does not speak TLS there; is it http? (ERR_SSL_',
    'backends.closing cannot be reached: it closes the connection without an answer (CONNECTION_CLOSED;',
    'backends.nobody cannot be reached: nothing listens there (ECONNREFUSED;',
    'backends.silent cannot be reached: it does not answer in time (FIRST_BYTE_TIMEOUT;',
  ])
    expect(out).toContain(line);
  // nor a newline of OpenSSL's
  expect(out).not.toContain('\\u');
});

it('says whether the question is answered that the circuit breaker closes by', async () => {
  let status = 503;
  const heads = createServer(({ method, url }, reply) => {
    const isQuestion = method === 'HEAD' && url === '/box';
    reply.writeHead(isQuestion ? status : 200).end(isQuestion ? '' : '<ListBucketResult/>');
  });
  const main = `type: s3, endpoint: "http://127.0.0.1:${await listening(heads)}"`;
  const checked = (more = '') => check(`backends: { main: { ${main}${more} } }\n${open}`);
  const unanswered = await checked();
  expect(unanswered.exitCode).toBe(1);
  expect(unanswered.out).toContain(
    'backends.main does not answer the question of its circuit breaker, HEAD of the bucket "box": it says 503. Once open',
  );
  const without = await checked(', breaker: false');
  expect(without.exitCode).toBe(0);
  expect(without.out).not.toContain('circuit breaker');
  status = 403;
  const refused = await checked();
  expect(refused.exitCode).toBe(0);
  expect(refused.out).toContain(
    'answers the question of its circuit breaker, HEAD of the bucket "box", with 403',
  );
});

it('says why the question of the circuit breaker gets no answer, though all else is answered', async () => {
  const closing = createServer(({ method, socket }, reply) => {
    if (method === 'HEAD') socket.destroy();
    else reply.end('<ListBucketResult/>');
  });
  const endpoint = `http://127.0.0.1:${await listening(closing)}`;
  const { exitCode, out } = await check(`backends: { main: { type: s3, endpoint: "${endpoint}" } }\n${open}`);
  expect(exitCode).toBe(1);
  expect(out).toMatch(/main does not answer the question of its circuit breaker, .*: it .* the connection/);
});

it('asks a web origin what its circuit breaker asks, and takes it for no store', async () => {
  let status = 200;
  const asked: string[] = [];
  const server = createServer(({ method, url }, reply) => {
    asked.push(`${method} ${url}`);
    reply.writeHead(status).end();
  });
  const endpoint = `http://127.0.0.1:${await listening(server)}`;
  const site = 'buckets: { site: { backend: web, access: public } }';
  const checked = (more = '', at = endpoint) =>
    check(`backends: { web: { type: http, endpoint: "${at}"${more} } }\n${site}`);
  const fine = await checked();
  expect(fine.exitCode).toBe(0);
  expect(fine.out).toContain(`backends.web at ${endpoint} is reachable`);
  expect(fine.out).toContain('backends.web answers the question of its circuit breaker, HEAD /, with 200');
  expect(fine.out).not.toContain('exact');
  expect(asked).toEqual(['HEAD /']);
  status = 503;
  const failing = await checked();
  expect(failing.exitCode).toBe(1);
  expect(failing.out).toContain(
    'backends.web does not answer the question of its circuit breaker, HEAD /: it says 503.',
  );
  const without = await checked(', breaker: false');
  expect(without.exitCode).toBe(0);
  expect(without.out).not.toContain('circuit breaker');
  const nobody = await checked(', breaker: false', 'http://127.0.0.1:1');
  expect(nobody.exitCode).toBe(1);
  expect(nobody.out).toContain('backends.web cannot be reached: nothing listens there (ECONNREFUSED)');
});

it('asks the fallback for the buckets that it stands in for, by their names there', async () => {
  const [main, replica] = [await exactStore(), await exactStore()];
  const yaml = (name: string) => `
backends:
  main: { type: s3, endpoint: "${main}", ${signed}, keys: exact, fallback: replica }
  replica: { type: s3, endpoint: "${replica}", ${signed}, keys: exact }
buckets: { photos: { backend: main, bucket: box, access: verify${name} } }`;
  const fine = await check(yaml(''));
  expect(fine.exitCode).toBe(0);
  expect(fine.out).toContain('backends.replica is exact: it knows "folder/a"');
  expect(fine.out).toContain(
    'backends.replica answers the question of its circuit breaker, HEAD of the bucket "box", with 200',
  );
  const missing = await check(yaml(', fallbackBucket: copies'));
  expect(missing.exitCode).toBe(1);
  expect(missing.out).toContain(
    `backends.replica at ${replica} answers 404 NoSuchBucket to a listing of the bucket "copies": create it, or name the one that is meant in buckets.photos.fallbackBucket`,
  );
  expect(missing.out).not.toContain(`backends.main at ${main} answers`);
});

describe('the queue of events', () => {
  let queue: StandInQueue;

  beforeEach(async () => {
    queue = await StandInQueue.start();
    stops.push(async () => queue.stop());
  });

  const checked = (different: object = {}) =>
    check(JSON.stringify({ events: { queue: { url: queue.url, credentials: queueAccount, ...different } } }));

  it('is asked what takes no message', async () => {
    queue.send('{}');
    const { exitCode, out } = await checked();
    expect(exitCode).toBe(0);
    expect(out).toContain(`events.queue at ${queue.url} answers GetQueueAttributes, with 200`);
    expect(queue.questions).toEqual([
      { action: 'GetQueueAttributes', body: { QueueUrl: queue.url, AttributeNames: ['VisibilityTimeout'] } },
    ]);
  });

  it.each([
    ['secret', { credentials: { ...queueAccount, secretAccessKey: 'hunter22' } }, 'the signature is refused'],
    [
      'name',
      { url: 'elsewhere' },
      'QueueDoesNotExist to GetQueueAttributes: create it, or correct events.queue.url',
    ],
    [
      'address',
      { url: 'http://127.0.0.1:1/q' },
      'events.queue cannot be asked: nothing listens there (ECONNREFUSED)',
    ],
    [
      'source',
      { credentials: { from: 'process', command: 'exit 4' } },
      'events.queue gets no credentials from a command',
    ],
  ])('is not found fine with a wrong %s', async (_, different, expected) => {
    const url = 'url' in different && different.url === 'elsewhere' ? { url: `${queue.url}-not` } : {};
    const { exitCode, out } = await checked({ ...different, ...url });
    expect(exitCode).toBe(1);
    expect(out).toContain(expected);
    expect(out).not.toContain('hunter22');
  });

  it.each([
    [400, 'com.amazon.coral.service#AccessDeniedException', queueAccount, 0, 'it takes the signature, but'],
    [403, 'AccessDenied', 'none', 1, 'write events.queue.credentials'],
    [400, 'MissingAuthenticationTokenException', 'none', 1, 'write events.queue.credentials'],
    [
      403,
      '',
      'none',
      1,
      'answers status 403 to GetQueueAttributes: it takes no questions without a signature',
    ],
    [403, '', queueAccount, 1, 'see url, region and credentials of events.queue'],
    [
      400,
      'com.amazonaws.sqs#InvalidAddress',
      queueAccount,
      1,
      'see url, region and credentials of events.queue',
    ],
    [400, 'UnrecognizedClientException', queueAccount, 1, 'events.queue.region'],
    [503, 'ServiceUnavailable', queueAccount, 1, 'it is in trouble itself'],
    [400, 'ThrottlingException', queueAccount, 1, 'ask again later'],
    [200, '', queueAccount, 1, 'what it answers is no answer of a queue (INVALID_ANSWER)'],
  ])('says what to do about %i %s', async (status, type, credentials, exitCode, expected) => {
    queue.faults.push({ status, body: JSON.stringify({ __type: type }) });
    expect(await checked({ credentials })).toMatchObject({
      exitCode,
      out: expect.stringContaining(expected),
    });
  });
});

it('gives up after a while, however slowly a store answers', async () => {
  const slow = createServer((_, reply) => {
    reply.write('<ListBucketResult>');
    const more = setInterval(() => reply.write(' '.repeat(2_000)), 50);
    reply.once('close', () => clearInterval(more));
  });
  const endpoint = `http://127.0.0.1:${await listening(slow)}`;
  const { exitCode, out } = await check(
    `backends: { main: { type: s3, endpoint: "${endpoint}" } }\n${open}`,
    config => connectToStores(config, 500),
  );
  expect(exitCode).toBe(1);
  expect(out).toContain('backends.main cannot be reached: it does not answer in time (TIMEOUT;');
});

it('obtains credentials from their source, says which it is, and shows none of them', async () => {
  const url = await exactStore();
  const printed = { Version: 1, AccessKeyId: OWNER.accessKeyId, SecretAccessKey: OWNER.secretAccessKey };
  const main = (command: string) =>
    `backends: { main: { type: s3, endpoint: "${url}", credentials: { from: process, command: ${JSON.stringify(command)} } } }\n${open}`;
  const fine = await check(main(`echo '${JSON.stringify(printed)}'`));
  expect(fine).toMatchObject({ exitCode: 0, out: expect.stringContaining('backends.main is exact') });
  expect(fine.out).toContain('backends.main takes its credentials from a command');
  expect(fine.out).toContain('backends.main gets credentials from a command, which do not expire');
  const failing = await check(main('echo planted >&2; exit 4'));
  expect(failing.exitCode).toBe(1);
  expect(failing.out).toContain(
    'gets no credentials from a command: the command ended with exit code 4 (COMMAND_FAILED); it was not asked',
  );
  for (const { out } of [fine, failing])
    expect(out).not.toMatch(new RegExp(`planted|${OWNER.secretAccessKey}`));
});

it('says that a store is reachable before what is wrong there', async () => {
  const url = await exactStore();
  const { out } = await check(
    `backends: { main: { type: s3, endpoint: "${url}", ${signed} } }\nbuckets: { none: { backend: main, access: verify } }`,
  );
  expect(out).toMatch(
    /^backends\.main at http:\S+ is reachable\nbackends\.main answers the question .*\nbackends\.main at \S+ answers 404 NoSuchBucket/m,
  );
});

it('tells that a store cannot be reached, and that the embedded one needs no question', async () => {
  const both = await check(`
backends:
  main: { type: s3, endpoint: "http://127.0.0.1:1" }
  demo: { type: embedded, directory: ${join(directory, 'data')} }
buckets: { box: { backend: main, access: verify } }`);
  expect(both).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining('backends.main cannot be reached'),
  });
  expect(both.out).toContain('backends.demo is the embedded store');
});
