import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, afterEach, expect, it } from 'vitest';
import { TestAuthority } from '../support/certificates.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const run = promisify(execFile);
const main = new URL('../../src/main.ts', import.meta.url).pathname;
const authority = new TestAuthority();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(() => authority.remove());

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-tls-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const buckets = `
backends: { demo: { type: embedded, directory: ./data } }
buckets: { photos: { backend: demo, access: verify } }
clients: [{ accessKeyId: writer, secretAccessKey: writer-secret, allow: [{ buckets: [photos], actions: ["*"] }] }]
cache: { memory: { size: 64MiB } }
`;

/** A gateway with TLS and a plain listener beside it, whose certificate is in a file of its own. */
async function start(workers = 1, more = '') {
  const directory = scratch();
  const issued = authority.issue(['localhost']);
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const install = (from: { cert: string; key: string }) => {
    copyFileSync(from.cert, cert);
    copyFileSync(from.key, key);
  };
  install(issued);
  const [port, plainPort, adminPort] = [await freePort(), await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    `listen: [{ port: ${port}, tls: { cert: ${cert}, key: ${key} }${more} }, { port: ${plainPort} }]
admin: { port: ${adminPort} }
workers: ${workers}
${buckets}`,
  );
  const started = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
  closing.push(() => started.stop());
  await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
  const metrics = async () => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const reload = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${adminPort}/api/reload`, { method: 'POST', headers });
    return { status: response.status, said: await response.json() };
  };
  return { port, plainPort, cert, key, file, install, started, metrics, reload };
}

function clientOf(endpoint: string): S3Client {
  const client = new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: 'writer', secretAccessKey: 'writer-secret' },
    requestHandler: { httpsAgent: new Agent({ ca: authority.caPem, keepAlive: false }) },
  });
  closing.push(() => client.destroy());
  return client;
}

/** The names in the certificate that new connections are shown. */
function namesShown(port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: 'localhost', family: 4, ca: authority.caPem, agent: false },
      response => {
        const { socket } = response;
        resolve(
          'getPeerCertificate' in socket ? Object(socket).getPeerCertificate().subjectaltname : undefined,
        );
        response.resume();
      },
    );
    sent.once('error', reject).end();
  });
}

it('an SDK writes and reads over TLS, with customer keys, which plain HTTP beside it refuses', async () => {
  const { port, plainPort } = await start(2);
  const secure = clientOf(`https://localhost:${port}`);
  await secure.send(new CreateBucketCommand({ Bucket: 'photos' }));
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 5, 'tides ');
  await secure.send(new PutObjectCommand({ Bucket: 'photos', Key: 'plain.bin', Body: bytes }));
  for (let read = 0; read < 3; read++) {
    const { Body } = await secure.send(new GetObjectCommand({ Bucket: 'photos', Key: 'plain.bin' }));
    expect(bytes.equals(Buffer.from((await Body?.transformToByteArray()) ?? []))).toBe(true);
  }
  const customerKey = Buffer.alloc(32, 7);
  const sealed = {
    SSECustomerAlgorithm: 'AES256',
    SSECustomerKey: customerKey.toString('base64'),
    SSECustomerKeyMD5: createHash('md5').update(customerKey).digest('base64'),
  };
  const place = { Bucket: 'photos', Key: 'sealed.bin' };
  await secure.send(new PutObjectCommand({ ...place, ...sealed, Body: 'sealed' }));
  const { Body } = await secure.send(new GetObjectCommand({ ...place, ...sealed }));
  expect(await Body?.transformToString()).toBe('sealed');
  const plain = clientOf(`http://127.0.0.1:${plainPort}`);
  await expect(plain.send(new GetObjectCommand({ ...place, ...sealed }))).rejects.toMatchObject({
    name: 'InvalidRequest',
  });
});

it('a renewed certificate is used without a restart, and a bad one changes nothing', {
  timeout: 60_000,
}, async () => {
  const { port, cert, install, key, metrics, started } = await start(2);
  expect(await namesShown(port)).toBe('DNS:localhost');
  expect(await metrics()).toMatch(
    new RegExp(`tidegate_certificate_expiry_seconds\\{file="${cert}"\\} 17[0-9]{4}`),
  );
  install(authority.issue(['localhost', 'renewed.test'], 30));
  await expect.poll(() => namesShown(port), { timeout: 20_000 }).toContain('renewed.test');
  writeFileSync(key, 'no key');
  await expect.poll(metrics, { timeout: 20_000 }).toContain(`tidegate_certificate_usable{file="${cert}"} 0`);
  expect(await namesShown(port)).toContain('renewed.test');
  expect(started.output).toContain(`${key} holds no private key in PEM form`);
  expect(started.output).not.toContain('BEGIN');
});

it('a reload takes over the paths of other certificates, and changes nothing where one cannot be used', {
  timeout: 60_000,
}, async () => {
  const { port, cert, key, file, metrics, reload } = await start(2);
  const other = authority.issue(['localhost', 'other.test']);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.replace(cert, other.cert));
  expect(await reload()).toMatchObject({ status: 422 });
  expect(await namesShown(port)).toBe('DNS:localhost');
  writeFileSync(file, before.replace(cert, other.cert).replace(key, other.key));
  expect(await reload()).toEqual({
    status: 200,
    said: { changed: [{ path: 'listen', change: 'changed' }], needsRestart: [], warnings: [] },
  });
  expect(await namesShown(port)).toContain('other.test');
  const exported = await metrics();
  expect(exported).toContain(`tidegate_certificate_usable{file="${other.cert}"} 1`);
  expect(exported).not.toContain(cert);
});

it('check names the key whose file cannot be used, and warns of an expired certificate', async () => {
  const directory = scratch();
  const [good, other] = [authority.issue(['a.test']), authority.issue(['b.test'])];
  const file = join(directory, 'gateway.yaml');
  const check = async (listen: string) => {
    writeFileSync(file, `listen: ${listen}\n${buckets}`);
    return run(process.execPath, [main, 'check', '-c', file], { cwd: directory }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    );
  };
  const unreadable = await check(`{ tls: { cert: ${good.cert}, key: /nowhere.key } }`);
  expect(unreadable).toMatchObject({ code: 2 });
  expect(unreadable.said).toContain('listen.tls.key holds "/nowhere.key", which cannot be read (ENOENT)');
  const mixed = await check(`[{ tls: [{ cert: ${good.cert}, key: ${other.key} }] }, { port: 8081 }]`);
  expect(mixed.code).toBe(2);
  expect(mixed.said).toContain(
    `listen[0].tls[0].key holds "${other.key}", which does not fit the certificate in ${good.cert}`,
  );
  const expired = authority.issue(['c.test'], 0);
  const warned = await check(`{ tls: { cert: ${expired.cert}, key: ${expired.key} } }`);
  expect(warned.code).toBe(0);
  expect(warned.said).toMatch(/warning: listen\.tls\.cert holds .*the certificate has expired/);
});

it('a store is asked over TLS: by its authority and name, with a client certificate where it wants one', {
  timeout: 60_000,
}, async () => {
  const store = await start(1, `, clientCa: ${authority.ca}`);
  const client = authority.issue(['gateway.test']);
  const foreign = new TestAuthority('Others');
  closing.push(() => foreign.remove());
  const directory = scratch();
  const file = join(directory, 'gateway.yaml');
  /** The exit code of the check, and what it said. */
  const connecting = async (tls: string) => {
    writeFileSync(
      file,
      `backends: { main: { type: s3, endpoint: "https://127.0.0.1:${store.port}", tls: ${tls},
  credentials: { accessKeyId: writer, secretAccessKey: writer-secret } } }
buckets: { "*": { backend: main, access: verify } }`,
    );
    return run(process.execPath, [main, 'check', '-c', file, '--connect'], { cwd: directory }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        said: stdout + stderr,
      }),
    );
  };
  const shown = `cert: ${client.cert}, key: ${client.key}`;
  expect(await connecting(`{ ca: ${authority.ca}, serverName: localhost, ${shown} }`)).toMatchObject({
    code: 0,
  });
  expect(await connecting(`{ insecureSkipVerify: true, ${shown} }`)).toMatchObject({ code: 0 });
  expect(await connecting(`{ ca: ${authority.ca}, serverName: localhost }`)).toMatchObject({ code: 1 });
  for (const wrong of [
    `{ ca: ${authority.ca}, ${shown} }`,
    `{ ca: ${foreign.ca}, serverName: localhost, ${shown} }`,
  ]) {
    const refused = await connecting(wrong);
    expect(refused.code).toBe(1);
    expect(refused.said).toContain('its certificate is not accepted');
  }
  const missing = await connecting('{ ca: /nowhere.pem }');
  expect(missing.code).toBe(2);
  expect(missing.said).toContain('backends.main.tls.ca holds "/nowhere.pem", which cannot be read (ENOENT)');
});

/** What is the same in every answer to one question. */
function comparable(status: unknown, headers: Record<string, unknown>, body: string) {
  const own =
    /^(?::status|date|connection|keep-alive|transfer-encoding|content-length|x-(?:amz|store)-(?:request-id|id-2)|age|cache-status|x-cache)$/;
  const kept = Object.entries(headers).filter(([name]) => !own.test(name));
  const text = body.replace(/<(RequestId|HostId)>[^<]*/g, '<$1>');
  return { status: Number(status), headers: Object.fromEntries(kept.sort()), body: text };
}

it('the same questions have the same answers over HTTP/2 and HTTP/1.1', { timeout: 60_000 }, async () => {
  const { port } = await start();
  const secure = clientOf(`https://localhost:${port}`);
  await secure.send(new CreateBucketCommand({ Bucket: 'photos' }));
  const bytes = Buffer.alloc(2 * 1024 * 1024 + 7, 'tides ');
  await secure.send(
    new PutObjectCommand({ Bucket: 'photos', Key: 'a.bin', Body: bytes, Metadata: { one: '1' } }),
  );
  await secure.send(new PutObjectCommand({ Bucket: 'photos', Key: 'small', Body: 'small' }));
  const session = connectHttp2(`https://localhost:${port}`, { ca: authority.caPem });
  closing.push(() => session.destroy());
  const overTwo = async (method: string, path: string, fields: object, body: string | undefined) => {
    const stream = session.request({ ':method': method, ':path': path, ...fields });
    stream.end(body);
    const [headers] = await once(stream, 'response');
    return comparable(headers[':status'], headers, (await buffer(stream)).toString('latin1'));
  };
  const overOne = async (method: string, path: string, fields: object, body: string | undefined) => {
    const where = { port, host: 'localhost', family: 4, ca: authority.caPem, agent: false };
    const sent = request({ ...where, method, path, headers: { ...fields } });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return comparable(response.statusCode, response.headers, (await buffer(response)).toString('latin1'));
  };
  const sign = async (command: GetObjectCommand | PutObjectCommand) => {
    const { pathname, search } = new URL(await getSignedUrl(secure, command));
    return pathname + search;
  };
  const [long, small, put] = [
    await sign(new GetObjectCommand({ Bucket: 'photos', Key: 'a.bin' })),
    await sign(new GetObjectCommand({ Bucket: 'photos', Key: 'small' })),
    await sign(new PutObjectCommand({ Bucket: 'photos', Key: 'new' })),
  ];
  const questions: [string, string, object, string?][] = [
    ['GET', long, {}],
    ['GET', long, { range: 'bytes=1048570-1048590' }],
    ['GET', long, { range: 'bytes=99999999-' }],
    ['GET', small, {}],
    ['GET', small, { 'if-none-match': '*' }],
    ['GET', '/photos/small', {}],
    ['HEAD', '/photos/small', {}],
    ['GET', '/no-such-bucket/key', {}],
    ['GET', `/photos/${'x'.repeat(9_000)}`, {}],
    ['PUT', put, { 'content-length': '3' }, 'new'],
    ['PUT', '/photos/refused', { 'content-length': '3' }, 'new'],
    ['GET', '/photos/small', { expect: 'the-unexpected' }],
    ['DELETE', '/photos/small', {}],
  ];
  for (const [method, path, fields, body] of questions) {
    const one = await overOne(method, path, fields, body);
    const two = await overTwo(method, path, fields, body);
    expect({ method, path, ...two }).toEqual({ method, path, ...one });
  }
  expect((await overTwo('GET', long, {}, undefined)).body).toBe(bytes.toString('latin1'));
});
