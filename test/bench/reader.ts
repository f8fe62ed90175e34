import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Content, holdsAt } from '../support/stand-in/content.ts';
import { headerEnd, parseReplyHead, type ReplyHead } from './reply-head.ts';

/** What one client got for one GET. */
export interface Reading {
  readonly status: number;
  readonly entityTag: string | undefined;
  readonly bytes: number;
  /** Whether the body ended as its head had promised. */
  readonly clean: boolean;
  readonly firstByteMs: number;
  readonly totalMs: number;
  /** Those of the expected contents that every received byte fits to. */
  readonly fits: readonly Content[];
}

const readBytes = 512 * 1024;

/**
 * Reads `url`, on a connection of its own, and compares each byte on the way with `expected`. It reads into one buffer
 * again and again, and so takes little of the processor time that it measures the others in.
 */
export function read(
  url: string,
  expected: readonly Content[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Reading> {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const startMs = performance.now();
  const sinceStart = () => performance.now() - startMs;
  const { promise, resolve, reject } = Promise.withResolvers<Reading>();
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const reply = new ReplyInProgress(expected);
  const where = { host: hostname, port: Number(port) };
  const arrived = (chunk: Buffer) => reply.arrived(chunk, sinceStart);
  const socket = protocol === 'https:' ? readSecurely(where, arrived) : readInto(where, arrived);
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.on('error', error => reply.head ?? reject(error));
  socket.on('close', () => resolve(reply.reading(sinceStart())));
  return promise;
}

interface Where {
  readonly host: string;
  readonly port: number;
}

function readInto(where: Where, arrived: (chunk: Buffer) => void): Socket {
  return connect({
    ...where,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(readBytes),
      callback(lengthBytes, buffer) {
        arrived(Buffer.from(buffer.buffer, buffer.byteOffset, lengthBytes));
        return true;
      },
    },
  });
}

/** The certificate does not matter here: the bytes are compared. */
function readSecurely(where: Where, arrived: (chunk: Buffer) => void): Socket {
  return connectTls({ ...where, rejectUnauthorized: false }).on('data', arrived);
}

/** The answer to one GET, as far as it has come. */
class ReplyInProgress {
  head: ReplyHead | undefined;
  #start = Buffer.alloc(0);
  #fits: readonly Content[];
  #bytes = 0;
  #firstByteMs = Number.POSITIVE_INFINITY;

  constructor(expected: readonly Content[]) {
    this.#fits = expected;
  }

  arrived(chunk: Buffer, sinceStart: () => number): void {
    if (this.head) {
      this.#body(this.head, chunk, sinceStart);
      return;
    }
    this.#start = Buffer.concat([this.#start, chunk]);
    const end = headerEnd(this.#start);
    if (end === undefined) return;
    this.head = parseReplyHead(this.#start.toString('latin1', 0, end));
    if (this.head.status !== 200 && this.head.status !== 206) this.#fits = [];
    this.#body(this.head, this.#start.subarray(end), sinceStart);
  }

  reading(totalMs: number): Reading {
    return {
      status: this.head?.status ?? 0,
      entityTag: this.head?.entityTag,
      bytes: this.#bytes,
      clean: this.head?.lengthBytes === this.#bytes,
      firstByteMs: this.#firstByteMs,
      totalMs,
      fits: this.#fits,
    };
  }

  #body({ firstPosition }: ReplyHead, chunk: Buffer, sinceStart: () => number): void {
    if (chunk.length === 0) return;
    if (this.#bytes === 0) this.#firstByteMs = sinceStart();
    this.#fits = this.#fits.filter(content => holdsAt(content, firstPosition + this.#bytes, chunk));
    this.#bytes += chunk.length;
  }
}
