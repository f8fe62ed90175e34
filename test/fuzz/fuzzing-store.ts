import type { Socket } from 'node:net';
import { RawStore } from '../support/raw-store.ts';
import { bytesOf, sizeOf } from './content.ts';
import { mutated, pieces, Random } from './random.ts';

interface Reply {
  readonly head: string;
  readonly body: Buffer;
}

const headers = [
  ...[
    'cache-control: max-age=1',
    'age: 9',
    'expires: Thu, 01 Jan 2099 00:00:00 GMT',
    'vary: Origin',
    'content-type: a/b',
  ],
  ...[
    'x-amz-meta-a: \xff',
    'x-amz-version-id: v1',
    'x-amz-mp-parts-count: 3',
    'x-amz-request-id: R',
    'x-amz-id-2: I',
  ],
  ...[
    'x-amz-restore: ongoing-request="false", expiry-date="Thu, 01 Jan 2099 00:00:00 GMT"',
    'x-amz-storage-class: GLACIER',
  ],
  ...[
    'connection: close',
    'keep-alive: timeout=1',
    'content-encoding: gzip',
    'etag: W/"a"',
    '__proto__: a',
    'trailer: a',
  ],
] as const;

const documents = [
  '<Error><Code>NoSuchKey</Code><Message>m</Message><Key>k</Key></Error>',
  `<Error>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</Error>`,
  '<__proto__><Code>A</Code></__proto__>',
  '<Error><Code>InvalidObjectState</Code><StorageClass>GLACIER</StorageClass></Error>',
  '<Error><Code>__proto__</Code><constructor>a</constructor></Error>',
  '<ListBucketResult><Name>b</Name><Contents><Key>a&amp;b</Key><Size>1</Size></Contents><KeyCount>1</KeyCount></ListBucketResult>',
  '<!DOCTYPE a [<!ENTITY b "c">]><Error><Code>&b;</Code></Error>',
  '<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz%</Key></Contents></ListBucketResult>',
] as const;

const statuses = [
  0, 99, 100, 101, 103, 200, 204, 205, 206, 299, 301, 304, 400, 403, 404, 405, 412, 416, 429, 500, 503, 600,
  999,
] as const;

/**
 * A store that answers truly about `trueKeys`, though in pieces, late, or cut off; and about everything else with what it
 * makes up of answers by changing them.
 */
export async function startFuzzingStore(seed: number): Promise<RawStore> {
  let asked = 0;
  return RawStore.start((socket, request) => {
    const random = Random.for(seed, `${asked++} ${request.slice(0, request.indexOf('\r\n'))}`);
    const key = /^\S+ \/s\/(true\/\d+)(?:\?\S*)? HTTP/.exec(request)?.[1];
    const size = key === undefined ? undefined : sizeOf(key);
    if (key !== undefined && size !== undefined) tellTruly(socket, trueReply(request, key, size), random);
    else makeUp(socket, request, random);
  });
}

function trueReply(request: string, key: string, size: number): Reply {
  const isHead = request.startsWith('HEAD');
  const [, first = '', last = ''] = /\r\nrange: bytes=(\d*)-(\d*)\r\n/i.exec(request) ?? [];
  const etag = `etag: "${key}"\r\n`;
  if (/[?&](?!response-|x-id=)[a-zA-Z]/.test(request.slice(0, request.indexOf(' HTTP'))))
    return withBody('HTTP/1.1 501 X\r\n', Buffer.from('<Error><Code>NotImplemented</Code></Error>'), isHead);
  if (first === '' && last === '')
    return withBody(`HTTP/1.1 200 OK\r\n${etag}`, bytesOf(key, 0, size), isHead);
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= to) {
    const error = Buffer.from('<Error><Code>InvalidRange</Code></Error>');
    return withBody(`HTTP/1.1 416 X\r\ncontent-range: bytes */${size}\r\n`, error, isHead);
  }
  const range = `content-range: bytes ${from}-${to - 1}/${size}\r\n`;
  return withBody(`HTTP/1.1 206 X\r\n${etag}${range}`, bytesOf(key, from, to), isHead);
}

function withBody(head: string, body: Buffer, isHead: boolean): Reply {
  return { head: `${head}content-length: ${body.length}\r\n\r\n`, body: isHead ? Buffer.alloc(0) : body };
}

/** True to the byte, but for how it travels. */
function tellTruly(socket: Socket, { head, body }: Reply, random: Random): void {
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
  const end = random.chance(0.1) ? random.int(bytes.length) : bytes.length;
  const isSlow = random.chance(0.1);
  if (random.chance(0.7) && end === bytes.length) socket.write(bytes);
  else
    send(socket, pieces(bytes.subarray(0, Math.min(end, 4_000)), random), isSlow ? 20 : 0, () => {
      if (end <= 4_000 && end < bytes.length) socket.destroy();
      else socket.write(bytes.subarray(4_000, end), () => end < bytes.length && socket.destroy());
    });
}

function makeUp(socket: Socket, request: string, random: Random): void {
  const isHead = request.startsWith('HEAD');
  const document = random.pick(documents);
  const body = Buffer.from(random.chance(0.3) ? mutated(document, random) : document, 'latin1');
  const own = Array.from({ length: random.int(random.chance(0.05) ? 400 : 5) }, () => random.pick(headers));
  const tag = random.chance(0.5) ? 'etag: "a"\r\n' : '';
  const range = random.chance(0.3)
    ? `content-range: bytes ${random.int(9)}-${random.int(999)}/${random.int(9999)}\r\n`
    : '';
  const start = `HTTP/1.1 ${String(random.pick(statuses)).padStart(3, '0')} X\r\n${own.map(line => `${line}\r\n`).join('')}`;
  const isChunked = random.chance(0.2);
  const sized = isChunked
    ? { head: `${start}${tag}${range}transfer-encoding: chunked\r\n\r\n`, body: chunked(body, random) }
    : withBody(start + tag + range, body, isHead);
  const head = random.chance(0.4) ? mutated(sized.head, random) : sized.head;
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), sized.body]);
  const ending = random.int(5);
  if (ending === 0)
    send(socket, pieces(bytes.subarray(0, random.int(bytes.length)), random), 0, () => socket.destroy());
  else if (ending === 1) send(socket, pieces(bytes, random), random.int(5), () => socket.end());
  else send(socket, pieces(bytes, random), 0, () => socket.write(''));
}

function chunked(body: Buffer, random: Random): Buffer {
  const size = random.chance(0.3)
    ? random.pick(['zz', '-1', 'ffffffffffffffff', '1;a=b', ''])
    : body.length.toString(16);
  return Buffer.from(`${size}\r\n${body.toString('latin1')}\r\n0\r\na: b\r\n\r\n`, 'latin1');
}

/** Writes the pieces one after another, at the most two hundred on their own. */
function send(socket: Socket, parts: readonly Buffer[], delayMs: number, then: () => void): void {
  const [next, ...rest] = parts.length > 200 ? [Buffer.concat(parts)] : parts;
  if (socket.destroyed) return;
  if (!next) {
    then();
    return;
  }
  socket.write(next, () => {
    if (delayMs > 0) setTimeout(() => send(socket, rest, rest.length > 20 ? 1 : delayMs, then), delayMs);
    else setImmediate(() => send(socket, rest, 0, then));
  });
}
