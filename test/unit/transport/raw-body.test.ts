import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { RawBody, type RawBodySink } from '../../../src/transport/raw-body.ts';
import { parseTakenBodies } from '../../../src/transport/request-bodies.ts';
import { ServedRequest } from '../../../src/transport/served-request.ts';
import { describingBytes, misplaced } from '../../support/self-describing.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const mebibyte = 1024 * 1024;
const lent = (sink: Upload) => sink.releases.length;

/** Takes a body, and keeps what was lent to it until `release`. */
class Upload implements RawBodySink {
  readonly raw: RawBody | undefined;
  readonly pieces: Buffer[] = [];
  readonly releases: (() => void)[] = [];
  wantsMore = true;
  hasEnded = false;
  /** What node:http has reported of the body after this has taken it over. */
  reportedBytes = 0;
  receivedBytes = 0;
  copiedBytes = 0;
  wrong: string | undefined;
  readonly #object: number;
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
    this.#object = Number(request.url?.slice(1));
    request.pause();
    this.raw = RawBody.begin(request, this);
    this.raw?.start();
    request.on('data', (chunk: Buffer) => {
      this.reportedBytes += chunk.length;
    });
    request.on('end', () => {
      this.hasEnded = true;
    });
    request.resume();
  }

  arrived(bytes: Buffer, release: (() => void) | undefined): void {
    this.pieces.push(bytes);
    this.receivedBytes += bytes.length;
    if (release) this.releases.push(release);
    else this.copiedBytes += bytes.length;
  }

  /** Looks at what has come, and lets go of it. */
  check(): void {
    let position = this.receivedBytes - this.pieces.reduce((total, piece) => total + piece.length, 0);
    for (const piece of this.pieces.splice(0)) {
      this.wrong ??= misplaced({ object: this.#object, version: 1 }, position, piece);
      position += piece.length;
    }
    for (const release of this.releases.splice(0)) release();
  }

  /** Reads what comes the usual way. */
  resume(): void {
    this.#request.socket.resume();
  }

  async until(state: () => boolean): Promise<void> {
    while (!state()) await nextTurn();
  }
}

/** @param begin called in a turn of its own with each request that has a large body */
async function serve(begin: (request: ServedRequest, response: ServerResponse) => void) {
  const paths: string[] = [];
  const server = createServer({ IncomingMessage: ServedRequest }, (request, response) => {
    paths.push(request.url ?? '');
    if (request.isBodyTaken) setImmediate(() => begin(request, response));
    else request.resume().on('end', () => response.end(`answer to ${request.url}`));
  });
  parseTakenBodies(server, () => true);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const address = server.address();
  const open = (): Socket => {
    const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
    closing.push(() => client.destroy());
    return client.on('error', () => undefined);
  };
  return { open, paths };
}

const head = (object: number, sizeBytes: number, more = '') =>
  `PUT /${object} HTTP/1.1\r\nhost: x\r\n${more}content-length: ${sizeBytes}\r\n\r\n`;
const body = (object: number, sizeBytes: number) => describingBytes({ object, version: 1 }, 0, sizeBytes);

// A canary for the next version of Node: fields of sockets and of node:http's parser are leant on.
it('a large body is read into lent memory, node:http counts it, and what follows is the next request', async () => {
  const uploads: Upload[] = [];
  const { open, paths } = await serve((request, response) => {
    const upload = new Upload(request);
    uploads.push(upload);
    request.on('end', () => response.end(`complete: ${request.complete}`));
  });
  const client = open();
  let told = '';
  client.on('data', text => {
    told += text;
  });
  const sizeBytes = 3 * mebibyte;
  const small = `${head(2, 5)}small`;
  let lentPieces = 0;
  for (const object of [1, 3]) {
    told = '';
    client.write(head(object, sizeBytes));
    client.write(body(object, sizeBytes));
    client.write(small);
    while (!/complete: true[\s\S]*answer to \/2/.test(told)) {
      for (const upload of uploads) {
        lentPieces += lent(upload);
        upload.check();
      }
      await nextTurn();
    }
  }
  expect(paths).toEqual(['/1', '/2', '/3', '/2']);
  expect(
    uploads.map(({ wrong, receivedBytes, reportedBytes }) => [wrong, receivedBytes, reportedBytes]),
  ).toEqual([
    [undefined, sizeBytes, 0],
    [undefined, sizeBytes, 0],
  ]);
  expect(uploads.map(({ raw }) => raw !== undefined)).toEqual([true, true]);
  expect(lentPieces).toBeGreaterThan(4);
});

it('lent memory keeps what is in it until it is released; more is copied meanwhile', async () => {
  const uploads: Upload[] = [];
  const { open } = await serve(request => void uploads.push(new Upload(request)));
  const sizeBytes = 8 * mebibyte;
  const clients = [4, 5, 6].map(object => {
    const client = open();
    client.write(head(object, sizeBytes));
    client.write(body(object, sizeBytes));
    return client;
  });
  // nobody looks at anything before all is there
  while (uploads.length < 3 || uploads.some(({ hasEnded }) => !hasEnded)) await nextTurn();
  const lentPieces = uploads.map(lent);
  for (const upload of uploads) upload.check();
  expect(uploads.map(({ wrong, receivedBytes }) => [wrong, receivedBytes])).toEqual(
    uploads.map(() => [undefined, sizeBytes]),
  );
  for (const count of lentPieces) expect(count).toBeLessThanOrEqual(2);
  for (const client of clients) client.destroy();
});

it('a sink that wants no more is given no more, and its connection is paused: the client does not count as slow', async () => {
  let upload: Upload | undefined;
  let socket: Socket | undefined;
  const { open } = await serve(request => {
    upload = new Upload(request);
    upload.wantsMore = false;
    socket = request.socket;
  });
  const sizeBytes = 24 * mebibyte;
  const client = open();
  client.write(head(7, sizeBytes));
  client.write(body(7, sizeBytes));
  while (!upload || !socket?.isPaused()) await nextTurn();
  const before = upload.receivedBytes;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(upload.receivedBytes).toBe(before);
  expect(before).toBeLessThan(sizeBytes / 2);
  upload.wantsMore = true;
  upload.raw?.goOn();
  while (!upload.hasEnded) {
    upload.check();
    await nextTurn();
  }
  upload.check();
  expect([upload.wrong, upload.receivedBytes]).toEqual([undefined, sizeBytes]);
});

it('after it was stopped, the rest goes the usual way, and the connection can be used again', async () => {
  let upload: Upload | undefined;
  const { open, paths } = await serve((request, response) => {
    const begun = new Upload(request);
    upload = begun;
    request.on('end', () => response.end('whole'));
  });
  const sizeBytes = 6 * mebibyte;
  const client = open();
  let told = '';
  client.on('data', text => {
    told += text;
  });
  client.write(head(8, sizeBytes));
  client.write(body(8, sizeBytes));
  client.write(`${head(9, 5)}small`);
  while (!upload || lent(upload) === 0) await nextTurn();
  upload.raw?.stop();
  const { receivedBytes } = upload;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(upload.reportedBytes).toBe(0);
  expect(receivedBytes).toBeLessThan(sizeBytes);
  // who wants the rest reads on
  upload.resume();
  await upload.until(() => told.includes('answer to /9'));
  expect(upload.receivedBytes + upload.reportedBytes).toBe(sizeBytes);
  expect(upload.receivedBytes).toBe(receivedBytes);
  expect(paths).toEqual(['/8', '/9']);
});

it('after it was stopped amid its last bytes, the next request is read', async () => {
  const sizeBytes = 2 * mebibyte;
  const { open, paths } = await serve((request, response) => {
    const upload = new Upload(request);
    const arrived = upload.arrived.bind(upload);
    upload.arrived = (bytes, release) => {
      arrived(bytes, release);
      upload.check();
      if (upload.receivedBytes < sizeBytes) return;
      upload.raw?.stop();
      response.end('refused');
    };
  });
  const client = open();
  let told = '';
  client.on('data', text => {
    told += text;
  });
  client.write(head(8, sizeBytes));
  client.write(body(8, sizeBytes));
  while (!told.includes('refused')) await nextTurn();
  client.write(`${head(9, 5)}small`);
  while (!told.includes('answer to /9')) await nextTurn();
  expect(paths).toEqual(['/8', '/9']);
});

it('so many bodies have memory of their own, and the others come as usual', async () => {
  const uploads: Upload[] = [];
  const { open } = await serve(request => void uploads.push(new Upload(request)));
  const clients = Array.from({ length: 33 }, () => {
    const client = open();
    client.write(head(1, mebibyte));
    return client;
  });
  while (uploads.length < 33) await nextTurn();
  expect(uploads.filter(({ raw }) => raw === undefined)).toHaveLength(1);
  for (const upload of uploads) upload.raw?.stop();
  for (const client of clients) client.destroy();
});

it.each([
  ['chunks', 'PUT /1 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n80000\r\n'],
  ['a body that is nearly there', head(1, 200_000)],
])('%s come as usual', async (_, text) => {
  let upload: Upload | undefined;
  const { open } = await serve(request => {
    upload = new Upload(request);
  });
  open().write(`${text}${'x'.repeat(1_000)}`);
  while (!upload) await nextTurn();
  await upload.until(() => (upload?.reportedBytes ?? 0) + (upload?.receivedBytes ?? 0) === 1_000);
  expect(upload.raw).toBe(undefined);
});
