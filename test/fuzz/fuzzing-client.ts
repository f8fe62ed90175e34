import { connect } from 'node:net';
import { SigningKeys } from '../../src/s3/sigv4-keys.ts';
import { signRequest } from '../../src/s3/sigv4-sign.ts';
import { bytesOf, sizeOf, trueKeys } from './content.ts';
import { mutated, pieces, type Random } from './random.ts';
import { readAnswers, type WireAnswer } from './read-answers.ts';

/** A client that the gateway knows. */
export const credentials = { accessKeyId: 'fuzz', secretAccessKey: 'fuzz-secret' };

/** A connection on which nothing has come for so long has been forgotten: a store may take a minute to answer a write. */
const answerLimitMs = 70_000;
/** So long is waited for the answer to what may be no whole request. */
const patienceMs = 1_500;

interface Asked {
  readonly text: string;
  readonly method: string;
  /** Undefined for what is not asked of an object whose bytes are known. */
  readonly key: string | undefined;
}

/** Keys that no store should be asked for, or that mean something to somebody. */
const awkwardKeys = [
  '',
  '..%2f',
  'a%',
  '%ff',
  '%00',
  'a//b',
  '__proto__',
  './true/3',
  'k'.repeat(1_500),
] as const;
const queries = [
  '?',
  '?partNumber=1',
  '?versionId=v1',
  '?tagging',
  '?list-type=2',
  '?acl',
  '?X-Amz-Signature=a',
  '?response-content-type=a%0d%0ab',
  '?versionId=%',
  '?uploads',
] as const;
const otherMethods = ['PUT', 'DELETE', 'POST', 'OPTIONS', 'TRACE', 'get'] as const;
const fields = [
  'range: bytes=0-99',
  'range: bytes=-5',
  'range: bytes=65530-65540',
  'range: bytes=9-1',
  'if-none-match: "true/3"',
  'if-match: *',
  'if-modified-since: Thu, 01 Jan 2099 00:00:00 GMT',
  'origin: http://a',
  'x-amz-checksum-mode: ENABLED',
  'expect: 100-continue',
  'connection: close',
  'upgrade: h2c',
  'x-amz-server-side-encryption-customer-algorithm: AES256',
  'authorization: AWS4-HMAC-SHA256 a',
  'range: bytes=0-9007199254740993',
  'accept-encoding: gzip',
  'te: trailers',
  'content-length: 0',
];

/** Opens one connection to `port`, sends one to eight requests, and tells what is wrong with what came back. */
export async function converse(port: number, random: Random): Promise<string | undefined> {
  const asked = Array.from({ length: 1 + random.int(random.chance(0.2) ? 8 : 2) }, () =>
    question(random, port),
  );
  const isSpoiled = random.chance(0.4);
  const text = asked.map(one => one.text).join('');
  const sent = Buffer.from(isSpoiled ? mutated(text, random) : text, 'latin1');
  const leaves = random.int(10);
  const received = await exchange(port, sent, asked.length, { random, isSpoiled, asked, leaves });
  if (isSpoiled || leaves === 0) return undefined;
  const what = JSON.stringify(text.slice(0, 600));
  if (received.isForgotten) return `no answer and no end within ${answerLimitMs} ms to ${what}`;
  const answers = readAnswers(
    received.bytes,
    asked.map(one => one.method),
    true,
  );
  if (!answers)
    return `no HTTP came back to ${what}: ${JSON.stringify(received.bytes.toString('latin1', 0, 300))}`;
  for (const [index, answer] of answers.entries()) {
    const wrong = asked[index] && wrongWith(answer, asked[index]);
    if (wrong) return `${wrong} to request ${index + 1} of ${what}`;
  }
  return undefined;
}

function question(random: Random, port: number): Asked {
  const method = random.chance(0.1) ? random.pick(otherMethods) : random.pick(['GET', 'GET', 'HEAD']);
  const bucket = random.pick(['b', 'b', 'b', 'b', 'v', 'v', 'v', 'none']);
  const key = keyOf(random);
  const query = random.chance(0.2) ? random.pick(queries) : '';
  const own = Array.from({ length: random.int(3) }, () => fields[random.int(fields.length)] ?? '');
  const host = `127.0.0.1:${port}`;
  const path = random.chance(0.05) ? `/${bucket}` : `/${bucket}/${key}`;
  const signed = random.chance(0.4) ? signature(method, host, path, query.slice(1)) : [];
  const lines = [`host: ${host}`, ...own, ...signed];
  return {
    text: `${method} ${path}${query} HTTP/1.1\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`,
    method,
    key: query === '' && path.endsWith(key) && sizeOf(key) !== undefined ? key : undefined,
  };
}

function keyOf(random: Random): string {
  if (random.chance(0.1)) return random.pick(awkwardKeys);
  return random.chance(0.5) ? `bad/${random.int(1_000)}` : (trueKeys[random.int(trueKeys.length)] ?? '');
}

function signature(method: string, host: string, rawPath: string, rawQuery: string): string[] {
  const request = { method, host, rawPath, rawQuery, headers: [], payloadHash: 'UNSIGNED-PAYLOAD' };
  const context = {
    credentials,
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    nowMs: Date.now(),
    keys: new SigningKeys(),
  } as const;
  try {
    return signRequest(request, context).map(([name, value]) => `${name}: ${value}`);
  } catch {
    // what cannot be decoded cannot be signed
    return [];
  }
}

interface Manner {
  readonly random: Random;
  readonly isSpoiled: boolean;
  readonly asked: readonly Asked[];
  /** 0: in the middle; 1: ends its side behind its requests. */
  readonly leaves: number;
}

/** All that came back until the answers were there, the connection ended, or there was no more patience. */
function exchange(
  port: number,
  sent: Buffer,
  count: number,
  { random, isSpoiled, asked, leaves }: Manner,
): Promise<{ readonly bytes: Buffer; readonly isForgotten: boolean }> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let isForgotten = false;
    const limit = setTimeout(
      () => {
        isForgotten = true;
        socket.destroy();
      },
      isSpoiled ? patienceMs : answerLimitMs,
    );
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (leaves === 0 && random.chance(0.3)) socket.destroy();
      else if (chunk.length < 65_536 && isAnswered(chunks, asked, count)) socket.destroy();
    });
    socket.on('end', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(limit);
      resolve({ bytes: Buffer.concat(chunks), isForgotten });
    });
    const parts = random.chance(0.5) ? [sent] : pieces(sent, random);
    const next = (index: number) => {
      const part = parts[index];
      if (part && !socket.destroyed) socket.write(part, () => setImmediate(() => next(index + 1)));
      else if (leaves === 0) setTimeout(() => socket.destroy(), random.int(50));
      else if (leaves === 1) socket.end();
    };
    socket.on('connect', () => next(0));
  });
}

function isAnswered(chunks: readonly Buffer[], asked: readonly Asked[], count: number): boolean {
  const answers = readAnswers(
    Buffer.concat(chunks),
    asked.map(one => one.method),
    false,
  );
  return answers !== undefined && answers.length >= count;
}

/** What is wrong with an answer about an object whose bytes are known. */
function wrongWith({ status, headers, body }: WireAnswer, { key, method }: Asked): string | undefined {
  if (key === undefined || method !== 'GET' || (status !== 200 && status !== 206)) return undefined;
  const size = sizeOf(key) ?? 0;
  const [, first = '0', last = String(size - 1), total = String(size)] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(total) !== size || body.length !== Number(last) - Number(first) + 1)
    return `${body.length} bytes of ${total}, where ${first} to ${last} of ${size} are meant,`;
  const right = bytesOf(key, Number(first), Number(last) + 1);
  return body.equals(right) ? undefined : `wrong bytes of ${key} from ${first} on`;
}
