import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signWithSdk } from '../support/embedded-store/store-under-test.ts';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { posted, signedFields } from '../support/posted-form.ts';
import { type RawRequest, rawRequest } from '../support/raw-request.ts';
import { signedChunks } from '../support/signed-chunks.ts';

const accessKeyId = 'AKIDROTATING';
const before = { accessKeyId, secretAccessKey: 'secret-of-last-year' };
const now = { accessKeyId, secretAccessKey: 'secret-of-this-year' };
const never = { accessKeyId, secretAccessKey: 'secret-of-somebody-else' };

type Signer = typeof now;

let gateway: GatewayProcess;
let directory: string;

const setup = (secrets: object): GatewaySetup => ({
  ...{ workers: 2, memory: '64MiB', accessLog: { sample: 0 } },
  backends: { demo: { type: 'embedded', directory } },
  buckets: { box: { backend: 'demo', access: 'verify' } },
  clients: [{ accessKeyId, ...secrets, allow: [{ buckets: ['box'], actions: ['*'] }] }],
});
const { secretAccessKey } = now;
const both = () => {
  const file = join(directory, 'previous-secret');
  writeFileSync(file, `${before.secretAccessKey}\n`);
  return { secretAccessKey, previousSecretAccessKey: `\${file:${file}}` };
};

const status = async (request: RawRequest) => (await rawRequest(gateway.url, request)).status;
const signed = async (request: RawRequest, by: Signer) =>
  status(await signWithSdk(gateway.url, request, by, Date.now()));
const usesOfPrevious = async () =>
  (await gateway.metrics()).total('previous_secret_requests_total', { access_key: accessKeyId });

/** Every way to sign a request. */
const ways: readonly (readonly [string, (by: Signer) => Promise<number>])[] = [
  ['a header', by => signed({ path: '/box/k' }, by)],
  [
    'a presigned URL',
    async by => {
      const client = new S3Client({
        ...{ endpoint: gateway.url, region: 'us-east-1', forcePathStyle: true, credentials: by },
      });
      return (await fetch(await getSignedUrl(client, new GetObjectCommand({ Bucket: 'box', Key: 'k' }))))
        .status;
    },
  ],
  ['a path that is signed as it was sent', by => signed({ path: '/box/%6b' }, by)],
  [
    'chunks',
    by =>
      status(
        signedChunks(gateway.url, '/box/chunks', ['one', 'two'], { credentials: by, nowMs: Date.now() }),
      ),
  ],
  [
    'a form',
    by => {
      const fields = { key: 'form' };
      const conditions = [{ bucket: 'box' }, fields];
      const own = signedFields({ ...by, nowMs: Date.now(), conditions });
      const form = posted({ fields: { ...fields, ...own }, file: 'content' });
      const { host } = new URL(gateway.url);
      return status({ method: 'POST', path: '/box', ...form, headers: { ...form.headers, host } });
    },
  ],
];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-rotation-'));
  gateway = await GatewayProcess.start(setup({ secretAccessKey: before.secretAccessKey }));
  expect(await signed({ method: 'PUT', path: '/box' }, before)).toBe(200);
  expect(await signed({ method: 'PUT', path: '/box/k', body: 'content' }, before)).toBe(200);
});

afterAll(async () => {
  await gateway?.stop();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

describe('a client whose secret is being changed', () => {
  it('may sign with both once a reload has told the new one', async () => {
    expect(await signed({ path: '/box/k' }, now)).toBe(403);
    gateway.rewrite(setup(both()));
    expect(await gateway.reload()).toMatchObject({
      said: { changed: [{ path: 'clients', change: 'changed' }], needsRestart: [] },
    });
  });

  it.each(ways)('signs %s with either, in any order, and with no other', async (_, ask) => {
    const usesBefore = await usesOfPrevious();
    const found: number[] = [];
    for (const by of [now, before, now, before]) found.push(await ask(by));
    expect(found.every(each => each === 200 || each === 204)).toBe(true);
    expect(await usesOfPrevious()).toBe(usesBefore + 2);
    expect(await ask(never)).toBe(403);
    expect(await usesOfPrevious()).toBe(usesBefore + 2);
  });

  it('is named in the log while it signs with the previous one, by no secret', () => {
    const lines = gateway.output.split('\n').filter(line => line.includes('previous secret'));
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ accessKey: accessKeyId, client: '127.0.0.1' });
    expect(gateway.output).not.toMatch(/secret-of/);
  });

  it('signs with the new one alone when the previous one is taken away', async () => {
    gateway.rewrite(setup({ secretAccessKey }));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    for (const [, ask] of ways)
      expect([await ask(now), await ask(before)]).toEqual([expect.any(Number), 403]);
    expect(await usesOfPrevious()).toBe(0);
  });

  it('has two secrets that differ', async () => {
    gateway.rewrite(setup({ secretAccessKey, previousSecretAccessKey: secretAccessKey }));
    const { status, said } = await gateway.reload();
    expect(status).toBe(422);
    expect(JSON.stringify(said)).toMatch(
      /clients\[0\]\.previousSecretAccessKey .* another one than secretAccessKey/,
    );
    expect(JSON.stringify(said)).not.toMatch(/secret-of/);
  });
});
