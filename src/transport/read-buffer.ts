import type { LookupFunction, OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type BodyEnd, BodyFraming } from './body-framing.ts';
import type { AnsweringConnection, ExpectedBody } from './expected-body.ts';
import { ParseBudget } from './parse-budget.ts';
import { readAfterWriteFailure } from './read-after-write-failure.ts';
import { resetWhenCut } from './reset-when-cut.ts';
import type { ServerTls } from './server-tls.ts';

/** Size of the shared read buffer. */
const READ_BYTES = 256 * 1024;

/** Bytes that may take long to parse (chunks, heads, trailers) are given to undici in pieces of this size. */
const PIECE_BYTES = 16 * 1024;

const endOfHead = Buffer.from('\r\n\r\n');

interface ConnectorOptions {
  readonly connectMs: number;
  readonly lookup: LookupFunction | undefined;
  readonly tls?: ServerTls | undefined;
}

/**
 * Connects as undici does, but all connections read into one shared buffer. Otherwise a large body would allocate a
 * Buffer per 64 KiB, which costs V8 a full collection every 30 MB and the system as many new pages.
 *
 * undici keeps the names and values of header and trailer fields as views of its input until the section is complete
 * (`onHeaderField` in its client-h1.js), so these must not be in the shared buffer. It keeps nothing of a body: data is
 * passed on synchronously, and its parser reports nothing about chunk-size lines (its imports have no callback for
 * them). So bytes that are certain to be data or plain chunk-size lines (`BodyFraming`) are parsed in place. Anything
 * else is copied first: heads, trailers, chunk extensions, bytes after a body, and bodies whose end the head does not
 * delimit by exactly one rule.
 */
export class ReadBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #parsing: Parsing;

  /** @param nowMs a monotonic clock, in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#parsing = { connection: undefined, budget: new ParseBudget(nowMs) };
  }

  connector({ connectMs, lookup, tls = {} }: ConnectorOptions): buildConnector.connector {
    const connections = this.#connections;
    const onread: OnReadOpts & ThisType<Socket> = {
      buffer: this.#buffer,
      callback(lengthBytes, bytes) {
        const arrived = Buffer.from(bytes.buffer, bytes.byteOffset, lengthBytes);
        return connections.get(this)?.arrived(arrived) ?? refuseEarly(this);
      },
    };
    const { ca, cert, key, serverName, insecureSkipVerify = false } = tls;
    const connect = buildConnector({
      ...{ timeout: connectMs, allowH2: false, onread },
      ...(lookup && { lookup }),
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && key !== undefined && { cert, key }),
      // else NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would have any certificate accepted
      rejectUnauthorized: !insecureSkipVerify,
    });
    const named = serverName === undefined ? {} : { servername: serverName };
    return (target, callback) => {
      connect({ ...target, ...named }, (error, socket) => {
        if (error) {
          callback(error, null);
          return;
        }
        const connection = new Connection(socket, this.#parsing);
        connections.set(socket, connection);
        resetWhenCut(socket);
        readAfterWriteFailure(socket, () => connection.passOnRest());
        callback(null, socket);
      });
    };
  }

  /** The connection whose head undici is reporting. Must be called during that report. */
  get answering(): AnsweringConnection | undefined {
    return this.#parsing.connection?.socket;
  }

  /** Announces the body that follows the head undici is reporting. Must be called during that report. */
  expectBody(end: BodyEnd): ExpectedBody | undefined {
    this.#parsing.connection?.expectBody(end);
    return this.#parsing.connection;
  }
}

/** What the connections of a thread share. undici parses synchronously, one connection at a time. */
interface Parsing {
  /** The connection whose bytes were parsed last. */
  connection: Connection | undefined;
  readonly budget: ParseBudget;
}

/** The bytes that undici was given and is parsing. */
type Given =
  | { readonly kind: 'unknown' }
  /** Ends with what looks like the end of a head. */
  | { readonly kind: 'head' }
  /** Memory that is used again or freed. `owedBytes` is the data that undici has neither passed on nor returned. */
  | {
      readonly kind: 'shared';
      readonly bytes: Buffer;
      readonly before: BodyFraming;
      readonly dataBytes: number;
      owedBytes: number;
    };

/** An HTTP server does not send before it receives a request. */
function refuseEarly(socket: Socket): boolean {
  socket.destroy(new Error('the server sent bytes before the connection was set up'));
  return false;
}

/** The unparsed bytes of one connection; replaces the socket's own read buffer. */
class Connection implements ExpectedBody {
  readonly #socket: Socket;
  readonly #parsing: Parsing;
  readonly #readStream: Socket['read'];
  #unread: Buffer | undefined;
  /** The memory of unread bytes that have to wait. */
  #kept: ArrayBuffer | undefined;
  #isHeld = false;
  /** Whether undici has asked for bytes after those that have arrived. */
  #wantsMore = true;
  #isEnding = false;
  #waitsForTurn = false;
  #mayBeSplit = false;
  /** The framing at the start of the unread bytes. */
  #framing = BodyFraming.unknown();
  #given: Given = { kind: 'unknown' };

  constructor(socket: Socket, parsing: Parsing) {
    this.#socket = socket;
    this.#parsing = parsing;
    this.#readStream = socket.read.bind(socket);
    socket.read = sizeBytes => this.#read(sizeBytes);
    socket.unshift = (rest: Buffer) => this.#unshift(rest);
    // the end must not overtake bytes that wait for their turn: it may be the end of the body
    socket.prependListener('end', () => this.passOnRest());
    socket.once('close', () => this.#freeKept());
  }

  get socket(): AnsweringConnection {
    return this.#socket;
  }

  /** Nothing more will arrive: what waits for its turn is parsed now. */
  passOnRest(): void {
    this.#isEnding = true;
    if (this.#unread) this.#socket.emit('readable');
  }

  /**
   * Passes on `bytes` of the shared buffer. False when some are left, for undici or for a later turn, or undici wants no
   * more because the call is paused: reading stops, as the next bytes would have to be kept.
   */
  arrived(bytes: Buffer): boolean {
    // a TLS connection delivers what it has already decrypted even while it is stopped
    if (this.#unread) this.#keep(this.#unread, bytes);
    else this.#unread = bytes;
    this.#mayBeSplit = true;
    this.#wantsMore = false;
    this.#socket.emit('readable');
    this.#parsing.budget.stop();
    this.#checkParser();
    if (this.#unread?.buffer === bytes.buffer) this.#keep(this.#unread);
    this.#isHeld = !this.#wantsMore;
    return this.#wantsMore;
  }

  expectBody(end: BodyEnd): void {
    // the first chunk starts right behind the head only if nothing was given with it
    const isAtStart = end.kind !== 'chunked' || this.#given.kind === 'head';
    this.#framing = isAtStart ? BodyFraming.of(end) : BodyFraming.unknown();
    if (this.#given.kind !== 'shared') this.#given = { kind: 'unknown' };
  }

  parsed(chunk: Buffer): void {
    if (this.#given.kind === 'shared') this.#given.owedBytes -= chunk.length;
    else if (this.#given.kind === 'unknown') this.#framing.skip(chunk.length);
  }

  #read(sizeBytes: number | undefined): Buffer | null {
    // `read(0)` makes the stream start reading and detect its end
    if (sizeBytes !== undefined) return this.#readStream(sizeBytes);
    const { budget } = this.#parsing;
    budget.stop();
    this.#checkParser();
    // undici goes on parsing what was read when it has given a connection up
    if (this.#socket.destroyed) this.#unread = undefined;
    if (this.#unread) {
      if (budget.isSpent && !this.#isEnding) return this.#waitForTurn();
      budget.start();
      this.#parsing.connection = this;
      return this.#takeNext(this.#unread);
    }
    this.#freeKept();
    this.#wantsMore = true;
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#socket.resume();
    }
    return null;
  }

  #waitForTurn(): null {
    if (!this.#waitsForTurn)
      this.#parsing.budget.whenRenewed(() => {
        this.#waitsForTurn = false;
        if (!this.#socket.destroyed) this.#socket.emit('readable');
        this.#parsing.budget.stop();
      });
    this.#waitsForTurn = true;
    return null;
  }

  #takeNext(unread: Buffer): Buffer {
    const bytes = this.#framing.isData ? unread : unread.subarray(0, PIECE_BYTES);
    const before = this.#framing.copy();
    const { lengthBytes, dataBytes } = this.#framing.follow(bytes);
    if (lengthBytes === 0) return Buffer.from(this.#take(this.#upToHead(bytes)));
    const certain = this.#take(bytes.subarray(0, lengthBytes));
    this.#given = { kind: 'shared', bytes: certain, before, dataBytes, owedBytes: dataBytes };
    return certain;
  }

  /**
   * `bytes` up to the end of what looks like a head: once the head is parsed, the framing of the body is known and it
   * need not be copied. At most once per read, because a body may contain many such sequences.
   */
  #upToHead(bytes: Buffer): Buffer {
    const end = this.#mayBeSplit ? bytes.indexOf(endOfHead) : -1;
    this.#mayBeSplit = false;
    if (end < 0) return bytes;
    this.#given = { kind: 'head' };
    return bytes.subarray(0, end + endOfHead.length);
  }

  /**
   * Has the unread bytes wait in memory of their own. It is freed with its last byte: V8 would do so only when tens of MiB
   * have come together, and a store that is faster than the gateway fills such memory all the time.
   */
  #keep(...unread: Buffer[]): void {
    const kept = Buffer.allocUnsafeSlow(unread.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const bytes of unread) at += bytes.copy(kept, at);
    this.#freeKept();
    this.#kept = kept.buffer;
    this.#unread = kept;
  }

  #freeKept(): void {
    this.#kept?.transfer(0);
    this.#kept = undefined;
  }

  /** Removes `bytes` from the unread ones. */
  #take(bytes: Buffer): Buffer {
    const rest = this.#unread?.subarray(bytes.length);
    this.#unread = rest && rest.length > 0 ? rest : undefined;
    return bytes;
  }

  #unshift(rest: Buffer): void {
    this.#parsing.budget.stop();
    if (rest.length === 0) return;
    this.#rewind(rest.length);
    if (this.#unread) this.#keep(rest, this.#unread);
    else this.#unread = rest;
  }

  /** undici returned the last `restBytes` of its input. */
  #rewind(restBytes: number): void {
    const given = this.#given;
    if (given.kind !== 'shared') return;
    const { dataBytes } = given.before.follow(given.bytes.subarray(0, -restBytes));
    this.#framing = given.before;
    given.owedBytes -= given.dataBytes - dataBytes;
  }

  /** Detects a version of undici that keeps body bytes instead of passing them on: its connections are closed. */
  #checkParser(): void {
    const given = this.#given;
    this.#given = { kind: 'unknown' };
    if (given.kind !== 'shared' || given.owedBytes === 0 || this.#socket.destroyed) return;
    this.#unread = undefined;
    this.#socket.destroy(new Error('undici did not pass on exactly the body bytes it was given'));
  }
}
