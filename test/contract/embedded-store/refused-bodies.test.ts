import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { OWNER, StoreUnderTest, signWithSdk } from '../../support/embedded-store/store-under-test.ts';
import { xmlText } from '../../support/embedded-store/xml-text.ts';
import { KeptConnection } from '../../support/kept-connection.ts';
import type { RawRequest } from '../../support/raw-request.ts';
import { signedChunks } from '../../support/signed-chunks.ts';

const MIB = 1024 ** 2;
/** More than node:http and its connection hold, less than is read behind a refusal. */
const long = 'x'.repeat(6 * MIB);

let store: StoreUnderTest;

beforeAll(async () => {
  store = await StoreUnderTest.start();
  await store.put('/box');
  await store.put('/box/kept', 'kept', { 'x-amz-acl': 'public-read' });
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => store.stop());

/** The next object does not fit. */
function fillDiskAfter(sizeBytes: number): void {
  const { blobs } = store.running.store;
  const draft = blobs.draft.bind(blobs);
  vi.spyOn(blobs, 'draft').mockImplementationOnce(async () => {
    const begun = await draft();
    let left = sizeBytes;
    const write = async (bytes: Uint8Array) => {
      left -= bytes.length;
      if (left < 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      await begun.write(bytes);
    };
    return { ...begun, write };
  });
}

function headOf({ method, path, headers = {} }: RawRequest, lengthBytes: number): string {
  const lines = Object.entries({ host: new URL(store.url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${lengthBytes}\r\n\r\n`;
}

/** A client that reads its answer only when it has sent everything, as many do. */
class LateReader {
  readonly #socket: Socket;
  readonly #whole = Promise.withResolvers<string>();
  /** With the error of the connection, if it had one. */
  readonly closed: Promise<string>;
  #text = '';

  constructor(request: RawRequest & { readonly body: string }) {
    const { hostname, port } = new URL(store.url);
    this.#socket = connect(Number(port), hostname).pause();
    this.#socket.setEncoding('latin1').on('data', piece => this.#arrived(String(piece)));
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    let fault = 'in order';
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      fault = error.code ?? error.message;
    });
    this.#socket.on('close', () => {
      closed.resolve(fault);
      this.#whole.resolve(this.#text);
    });
    this.#socket.write(headOf(request, request.body.length));
    this.#socket.write(request.body, () => this.#socket.resume());
  }

  /** What had come by the end of the error document, or of the connection. */
  get answer(): Promise<string> {
    return this.#whole.promise;
  }

  #arrived(piece: string): void {
    this.#text += piece;
    if (this.#text.includes('</Error>')) this.#whole.resolve(this.#text);
  }
}

const sign = async (request: RawRequest & { readonly body: string }) => ({
  ...(await signWithSdk(store.url, request, OWNER, store.clock.nowMs())),
  body: request.body,
});
const upload = { method: 'PUT', path: '/box/refused', body: long };

it.each([
  {
    road: 'an object for which the disk has no room',
    make: () => {
      fillDiskAfter(MIB);
      return sign(upload);
    },
    code: 'XMinioStorageFull',
  },
  {
    road: 'a document that is too long',
    make: () => sign({ ...upload, path: '/box?versioning=' }),
    code: 'MalformedXML',
  },
  {
    road: 'a chunk with a wrong signature',
    make: async () => {
      const signer = { credentials: OWNER, nowMs: store.clock.nowMs(), spoil: true };
      return signedChunks(store.url, upload.path, ['spoilt', long, 'spoilt'], signer);
    },
    code: 'SignatureDoesNotMatch',
  },
  {
    road: 'what is no chunk',
    make: () =>
      sign({ ...upload, headers: { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' } }),
    code: 'IncompleteBody',
  },
  {
    road: 'fields that are refused before the body is read',
    make: () => sign({ ...upload, headers: { 'content-md5': 'nonsense' } }),
    code: 'InvalidDigest',
  },
])('an upload that is refused on its way is answered, and its connection closes: $road', async row => {
  const client = new LateReader(await row.make());
  const answer = await client.answer;
  expect({ code: xmlText(answer, 'Code'), connection: /^connection: (.*)\r$/im.exec(answer)?.[1] }).toEqual({
    code: row.code,
    connection: 'close',
  });
  expect(await client.closed).toBe('in order');
});

it('a body that nobody has begun to read is passed over', async () => {
  const client = new KeptConnection(store.url);
  const refused = await client.send(headOf(upload, 4), ['PUT']);
  expect(refused[0]).toMatchObject({ status: 403, headers: { connection: 'keep-alive' } });
  const read = await client.send('bodyGET /box/kept HTTP/1.1\r\nhost: x\r\n\r\n', ['GET']);
  expect(read[0]).toMatchObject({ status: 200, text: 'kept' });
  client.close();
});

it('a client that goes on sending does not keep the store from closing', async () => {
  fillDiskAfter(MIB);
  const request = await sign(upload);
  const { hostname, port } = new URL(store.url);
  const client = connect(Number(port), hostname).on('error', () => undefined);
  const closed = new Promise(resolve => client.once('close', resolve));
  const answered = new Promise(resolve => client.once('data', resolve));
  client.write(headOf(request, long.length) + long.slice(0, 2 * MIB));
  await answered;
  await store.restart();
  await closed;
});
