import { once } from 'node:events';
import { connect } from 'node:net';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { turnsUntil } from '../support/turns-until.ts';
import type { RealStore } from './real-store.ts';
import { realStores } from './real-stores.ts';

const mebibyte = 1024 * 1024;

describe.each(realStores)('in front of %s', (_, startStore) => {
  let store: RealStore;
  let gateway: GatewayProcess;
  let direct: S3Client;

  beforeAll(async () => {
    store = await startStore();
    // the SDK adds to what it is given
    const at = { endpoint: store.directUrl, credentials: { ...store.credentials }, region: 'us-east-1' };
    direct = new S3Client({ ...at, forcePathStyle: true });
    await direct.send(new CreateBucketCommand({ Bucket: 'own' }));
    gateway = await GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: store.url, keys: 'path', credentials: store.credentials } },
      buckets: {
        own: {
          ...{ backend: 'store', access: 'public' },
          anonymous: [{ actions: ['GetObject', 'PutObject'], keys: ['**'] }],
        },
      },
      memory: '64MiB',
    });
  });
  afterAll(async () => {
    direct?.destroy();
    await gateway?.stop();
    await store?.stop();
  });

  const url = (key: string) => `${gateway.url}/own/${key}`;

  /** Sends so much of a body, and does what a test wants. */
  async function send(key: string, lengthBytes: number, sentBytes: number, how: string): Promise<void> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const md5 = how === 'a wrong MD5' ? 'content-md5: 1B2M2Y8AsgTpgAmY7PhCfg==\r\nconnection: close\r\n' : '';
    socket.write(`PUT /own/${key} HTTP/1.1\r\nhost: x\r\n${md5}content-length: ${lengthBytes}\r\n\r\n`);
    const received = (await gateway.metrics()).total('request_bytes_total');
    socket.write(Buffer.alloc(sentBytes, 'x'));
    const all = async () => (await gateway.metrics()).total('request_bytes_total') === received + sentBytes;
    await turnsUntil('what was sent has come', all);
    if (how === 'half') socket.end();
    else if (how === 'reset') socket.resetAndDestroy();
    else if (how === 'close') socket.destroy();
    if (!socket.closed) await once(socket.resume(), 'close');
    const isOver = async () => (await gateway.metrics()).total('requests_in_flight') === 0;
    await turnsUntil('the request is over', isOver);
  }

  it.each([
    ['close', 100_000, 50_000],
    ['reset', 100_000, 50_000],
    ['half', 100_000, 50_000],
    ['close', 8 * mebibyte, 8 * mebibyte - 1],
    ['reset', 8 * mebibyte, 4 * mebibyte],
    ['half', 8 * mebibyte, 4 * mebibyte],
    ['a wrong MD5', 100_000, 100_000],
    ['a wrong MD5', 8 * mebibyte, 8 * mebibyte],
  ])(
    'a body that is cut off leaves nothing, and what was there before (%s of %d bytes)',
    async (how, lengthBytes, sentBytes) => {
      await fetch(url('kept'), { method: 'PUT', body: 'content' });
      for (const key of ['kept', 'new']) await send(key, lengthBytes, sentBytes, how);
      // and what is written then comes after all that may still be under way at the store
      expect((await fetch(url('last'), { method: 'PUT', body: 'last' })).status).toBe(200);
      const { Contents = [] } = await direct.send(new ListObjectsV2Command({ Bucket: 'own' }));
      expect(Contents.map(({ Key, Size }) => [Key, Size])).toEqual([
        ['kept', 7],
        ['last', 4],
      ]);
      expect(await (await fetch(url('kept'))).text()).toBe('content');
    },
  );
});
