import type { LookupFunction, OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type BodyEnd, BodyFraming } from './body-framing.ts';

/** How much a socket may bring at once. */
const READ_BYTES = 256 * 1024;

const endOfHead = Buffer.from('\r\n\r\n');

export interface ConnectorOptions {
  readonly connectMs: number;
  readonly lookup: LookupFunction | undefined;
}

/** Counts the data that a connection brings of a body. */
export interface ExpectedBody {
  /** undici has handed on `chunk` of it. */
  parsed(chunk: Buffer): void;
}

/**
 * Connects as undici does, but all connections read into one buffer, the next read over the last: a large body would
 * else leave a new Buffer every 64 KiB, which costs V8 a full collection every 30 MB and the system as many new pages.
 *
 * undici keeps names and values of header and trailer fields as views of what it parses until the head or the trailers
 * are complete (`onHeaderField` in its client-h1.js), so those must not lie in the shared memory. It keeps nothing of a
 * body: data is handed on at once, and of the lines between chunks its parser tells it nothing (its imports have no
 * callback for them). So what is certain to be data or a plain line that says how long a chunk is (`BodyFraming`) is
 * parsed where it lies; anything else is parsed from a copy: heads, trailers, chunk extensions, what comes behind a
 * body, and a body of which the head does not tell by one thing alone where it ends.
 */
export class ReadBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
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

  /** A body that ends at `end` follows the head that undici reports. To be called while it does. */
  expectBody(end: BodyEnd): ExpectedBody | undefined {
    this.#parsing.connection?.expectBody(end);
    return this.#parsing.connection;
  }
}

/** The connection whose bytes undici is parsing or has parsed last: it parses what it reads at once, one after the other. */
interface Parsing {
  connection: Connection | undefined;
}

/** What undici has been given and is parsing. */
type Given =
  | { readonly kind: 'unknown' }
  /** It ends with what looks like the end of a head. */
  | { readonly kind: 'head' }
  /** Memory of its own: it may hold what comes behind a body, too. */
  | { readonly kind: 'own'; readonly bytes: Buffer; readonly before: BodyFraming }
  /** Shared memory, of which `owedBytes` of data have neither been handed on nor given back. */
  | {
      readonly kind: 'shared';
      readonly bytes: Buffer;
      readonly before: BodyFraming;
      readonly dataBytes: number;
      owedBytes: number;
    };

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
  /** Of what is unread. */
  #framing = BodyFraming.unknown();
  #given: Given = { kind: 'unknown' };

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

  expectBody(end: BodyEnd): void {
    // where chunks begin is certain when nothing was given behind the head
    const isAtStart = end.kind !== 'chunked' || this.#given.kind === 'head';
    this.#framing = isAtStart ? BodyFraming.of(end) : BodyFraming.unknown();
    if (this.#given.kind !== 'shared') this.#given = { kind: 'unknown' };
  }

  parsed(chunk: Buffer): void {
    if (this.#given.kind === 'shared') this.#given.owedBytes -= chunk.length;
    else if (this.#given.kind === 'unknown') this.#framing.skip(chunk.length);
  }

  #read(sizeBytes: number | undefined): Buffer | null {
    // `read(0)` asks the stream to begin, and to notice its end
    if (sizeBytes !== undefined) return this.#readStream(sizeBytes);
    this.#checkParser();
    if (this.#unread) {
      this.#parsing.connection = this;
      return this.#isShared ? this.#takeShared(this.#unread) : this.#takeOwn(this.#unread);
    }
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#socket.resume();
    }
    return null;
  }

  #takeShared(bytes: Buffer): Buffer {
    const before = this.#framing.copy();
    const { lengthBytes, dataBytes } = this.#framing.follow(bytes);
    if (lengthBytes === 0) return Buffer.from(this.#take(this.#upToHead(bytes)));
    const certain = this.#take(bytes.subarray(0, lengthBytes));
    this.#given = { kind: 'shared', bytes: certain, before, dataBytes, owedBytes: dataBytes };
    return certain;
  }

  /** Memory of its own may hold what it will. */
  #takeOwn(bytes: Buffer): Buffer {
    if (!this.#framing.isUnknown) {
      this.#given = { kind: 'own', bytes, before: this.#framing.copy() };
      this.#framing.follow(bytes);
    }
    return this.#take(bytes);
  }

  /**
   * `bytes` up to the end of what looks like a head: once that has been parsed, the body behind it is known and need not
   * be copied. Once a read, since a body may hold nothing but such ends.
   */
  #upToHead(bytes: Buffer): Buffer {
    const end = this.#mayBeSplit ? bytes.indexOf(endOfHead) : -1;
    this.#mayBeSplit = false;
    if (end < 0) return bytes;
    this.#given = { kind: 'head' };
    return bytes.subarray(0, end + endOfHead.length);
  }

  /** Takes `bytes` off what is unread. */
  #take(bytes: Buffer): Buffer {
    const rest = this.#unread?.subarray(bytes.length);
    this.#unread = rest && rest.length > 0 ? rest : undefined;
    return bytes;
  }

  #unshift(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#rewind(rest.length);
    if (this.#unread) {
      this.#unread = Buffer.concat([rest, this.#unread]);
      this.#isShared = false;
    } else {
      this.#unread = rest;
    }
  }

  /** Undici has not taken the last `restBytes` of what it was given. */
  #rewind(restBytes: number): void {
    const given = this.#given;
    if (given.kind !== 'shared' && given.kind !== 'own') return;
    const { dataBytes } = given.before.follow(given.bytes.subarray(0, -restBytes));
    this.#framing = given.before;
    if (given.kind === 'shared') given.owedBytes -= given.dataBytes - dataBytes;
  }

  /** A version of undici that does anything else with body bytes might keep them: its connections are not used. */
  #checkParser(): void {
    const given = this.#given;
    this.#given = { kind: 'unknown' };
    if (given.kind !== 'shared' || given.owedBytes === 0 || this.#socket.destroyed) return;
    this.#unread = undefined;
    this.#socket.destroy(new Error('undici did not hand on exactly what it was given of a body'));
  }
}
