import type { LookupFunction, OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';

/** How much a socket may bring at once. */
const readBytes = 256 * 1024;

const endOfHead = Buffer.from('\r\n\r\n');

export interface ConnectorOptions {
  readonly connectMs: number;
  readonly lookup: LookupFunction | undefined;
}

/** Counts the body bytes of known number that a connection is still to bring. */
export interface ExpectedBody {
  /** undici has handed on `chunk` of it. */
  parsed(chunk: Buffer): void;
}

/**
 * Connects as undici does, but all connections read into one buffer, the next read over the last: a large body would
 * else leave a new Buffer every 64 KiB, which costs V8 a full collection every 30 MB and the system as many new pages.
 *
 * undici keeps names and values of header and trailer fields as views of what it parses until the head is complete
 * (`onHeaderField` in its client-h1.js), so what it parses may lie in the shared memory only when it is certain that all
 * of it is body: then undici hands it on as one view and keeps nothing of it. That is so when no more bytes come than
 * are missing of a body whose length the head has told. Anything else is parsed from a copy.
 */
export class ReadBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(readBytes);
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #parsing: Parsing = { connection: undefined };

  connector({ connectMs, lookup }: ConnectorOptions): buildConnector.connector {
    const connections = this.#connections;
    const onread: OnReadOpts & ThisType<Socket> = {
      buffer: this.#buffer,
      callback(lengthBytes, bytes) {
        const arrived = Buffer.from(bytes.buffer, bytes.byteOffset, lengthBytes);
        return connections.get(this)?.arrived(arrived) ?? refuseEarly(this);
      },
    };
    const options = { timeout: connectMs, allowH2: false, ...(lookup && { lookup }), onread };
    const connect = buildConnector(options);
    return (target, callback) => {
      connect(target, (error, socket) => {
        if (error) {
          callback(error, null);
          return;
        }
        connections.set(socket, new Connection(socket, this.#parsing));
        callback(null, socket);
      });
    };
  }

  /**
   * A body of exactly `lengthBytes` follows the head that has just been parsed. To be called while undici reports that
   * head, and only when the length decides where the body ends (RFC 9112 §6.3, cases 1 to 6).
   */
  expectBody(lengthBytes: number): ExpectedBody | undefined {
    this.#parsing.connection?.expectBody(lengthBytes);
    return this.#parsing.connection;
  }
}

/** The connection whose bytes undici is parsing or has parsed last: it parses what it reads at once, one after the other. */
interface Parsing {
  connection: Connection | undefined;
}

/** A server that speaks before it has been connected to is no HTTP server. */
function refuseEarly(socket: Socket): boolean {
  socket.destroy(new Error('bytes came before the connection was there'));
  return false;
}

/** What one connection has brought and undici has not parsed: takes the place of the stream's own buffer. */
class Connection implements ExpectedBody {
  readonly #socket: Socket;
  readonly #parsing: Parsing;
  readonly #readStream: Socket['read'];
  #unread: Buffer | undefined;
  #isShared = false;
  #isHeld = false;
  #mayBeSplit = false;
  #bodyLeftBytes = 0;
  /** Of what undici was given in the shared memory: what it has neither handed on nor given back. */
  #atParserBytes = 0;

  constructor(socket: Socket, parsing: Parsing) {
    this.#socket = socket;
    this.#parsing = parsing;
    this.#readStream = socket.read.bind(socket);
    socket.read = sizeBytes => this.#read(sizeBytes);
    socket.unshift = (rest: Buffer) => this.#unshift(rest);
  }

  /** Hands `bytes` of the shared memory on. False: not all was taken, and nothing more is to be read until it has been. */
  arrived(bytes: Buffer): boolean {
    // an encrypted connection brings what it has decrypted, stopped or not
    this.#isShared = this.#unread === undefined;
    this.#unread = this.#unread ? Buffer.concat([this.#unread, bytes]) : bytes;
    this.#mayBeSplit = true;
    this.#socket.emit('readable');
    this.#checkParser();
    if (!this.#unread) return true;
    if (this.#isShared) this.#unread = Buffer.from(this.#unread);
    this.#isShared = false;
    this.#isHeld = true;
    return false;
  }

  expectBody(lengthBytes: number): void {
    this.#bodyLeftBytes = lengthBytes;
  }

  parsed(chunk: Buffer): void {
    this.#bodyLeftBytes = Math.max(0, this.#bodyLeftBytes - chunk.length);
    this.#atParserBytes = Math.max(0, this.#atParserBytes - chunk.length);
  }

  #read(sizeBytes: number | undefined): Buffer | null {
    // `read(0)` asks the stream to begin, and to notice its end
    if (sizeBytes !== undefined) return this.#readStream(sizeBytes);
    this.#checkParser();
    if (this.#unread) {
      this.#parsing.connection = this;
      return this.#isShared ? this.#takeShared(this.#unread) : this.#take(this.#unread);
    }
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#socket.resume();
    }
    return null;
  }

  #takeShared(bytes: Buffer): Buffer {
    const isAllBody = bytes.length <= this.#bodyLeftBytes;
    if (!isAllBody) return Buffer.from(this.#take(this.#upToHead(bytes)));
    this.#atParserBytes = bytes.length;
    return this.#take(bytes);
  }

  /**
   * `bytes` up to the end of what looks like a head: once that has been parsed, the body behind it is known and need not
   * be copied. Once a read, since a body may hold nothing but such ends.
   */
  #upToHead(bytes: Buffer): Buffer {
    const end = this.#mayBeSplit && this.#bodyLeftBytes === 0 ? bytes.indexOf(endOfHead) : -1;
    this.#mayBeSplit = false;
    return end < 0 ? bytes : bytes.subarray(0, end + endOfHead.length);
  }

  /** Takes `bytes` off what is unread. */
  #take(bytes: Buffer): Buffer {
    const rest = this.#unread?.subarray(bytes.length);
    this.#unread = rest && rest.length > 0 ? rest : undefined;
    return bytes;
  }

  #unshift(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#atParserBytes = Math.max(0, this.#atParserBytes - rest.length);
    if (this.#unread) {
      this.#unread = Buffer.concat([rest, this.#unread]);
      this.#isShared = false;
    } else {
      this.#unread = rest;
    }
  }

  /** A version of undici that does anything else with body bytes might keep them: its connections are not used. */
  #checkParser(): void {
    if (this.#atParserBytes === 0 || this.#socket.destroyed) return;
    this.#atParserBytes = 0;
    this.#socket.destroy(new Error('undici did not hand on all that it was given of a body'));
  }
}
