import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { ByteWaiters } from '../../../src/gateway/fill/byte-waiters.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const sizeBytes = 3 * mebibyte;
const content = Buffer.from(Uint8Array.from({ length: sizeBytes }, (_, index) => index % 251));

/** A store whose object has one version, which is not the current one any more: what is asked for of that waits, and is refused. */
class OneVersion {
  readonly #deleted = Promise.withResolvers<void>();
  readonly asked: string[] = [];
  /** Set when the first block was read. */
  isBeingDeleted = false;

  delete(): void {
    this.#deleted.resolve();
  }

  async answer({ url = '', headers }: IncomingMessage, reply: ServerResponse): Promise<void> {
    this.asked.push(url);
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (!url.includes('versionId') && this.isBeingDeleted) {
      await this.#deleted.promise;
      reply.writeHead(404, { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'marker' });
      reply.end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    const bytes = content.subarray(Number(from), to === '' ? sizeBytes : Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + bytes.length - 1}/${sizeBytes}`;
    const validators = { etag: '"one"', 'x-amz-version-id': 'v1' };
    reply.writeHead(206, { ...validators, 'content-range': range, 'content-length': bytes.length });
    reply.end(bytes);
  }
}

it.each([1, 2])(
  'a version that is read beside the current object, with %d workers, is not refused where that is',
  async workers => {
    const store = new OneVersion();
    const server = createServer((request, reply) => void store.answer(request, reply));
    const storeUrl = await listenLocally(server);
    const gateway = await TestGateway.start({ storeUrl, workers, arenaBytes: 64 * mebibyte });
    try {
      const [current, version] = ['/b/k', '/b/k?versionId=v1'];
      for (let worker = 0; worker < workers; worker++) {
        const first = await gateway.get(current, { range: 'bytes=0-9' }, worker);
        expect(first.status).toBe(206);
      }
      store.isBeingDeleted = true;
      const waiting = vi.spyOn(ByteWaiters.prototype, 'wait');
      const refused = gateway.get(current, { range: `bytes=${mebibyte}-${mebibyte + 9}` }, 0);
      const inBlock = { range: `bytes=${mebibyte + 20}-${mebibyte + 29}` };
      await expect.poll(() => store.asked.length).toBeGreaterThan(1);
      const asked = store.asked.length;
      const read = gateway.get(version, inBlock, workers - 1);
      await expect.poll(() => store.asked.length).toBeGreaterThan(asked);
      // its answer has come, and it waits for the bytes that were asked for before
      await expect.poll(() => waiting.mock.calls.length).toBe(2);
      store.delete();
      const expected = content.subarray(mebibyte + 20, mebibyte + 30);
      expect(await read).toMatchObject({ status: 206, body: expected });
      expect((await refused).status).toBe(404);
      for (let worker = 0; worker < workers; worker++)
        expect(await gateway.get(version, inBlock, worker)).toMatchObject({ status: 206, body: expected });
    } finally {
      vi.restoreAllMocks();
      await gateway.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  },
);
