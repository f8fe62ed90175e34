import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { type RawReader, RawReads, READ_BYTES } from './raw-reads.ts';
import { ReadMemory } from './read-memory.ts';
import { ServedRequest } from './served-request.ts';

/** Bodies with fewer bytes left than this are read as usual. */
const LEAST_BYTES = 512 * 1024;

/**
 * A write of this size makes the stream of a body pause until it was taken, see `SentMemory`. Smaller pieces are
 * copied.
 */
const LENT_BYTES = getDefaultHighWaterMark(false);

/** Pieces per body: one is sent to the store while the next one is read. */
const PIECES = 2;

const memory = new ReadMemory(READ_BYTES);

/** The receiver of a body. */
export interface RawBodySink {
  /** @param release set if the memory is lent; must be called when it is no longer used */
  arrived(bytes: Buffer, release: (() => void) | undefined): void;
  /** Whether more bytes are wanted now; otherwise `goOn` is called later. */
  readonly wantsMore: boolean;
}

/**
 * The rest of a large body, read from its connection past node:http, whose parser copies each read of 64 KiB into new
 * memory. The parser gets all bytes nevertheless, but does not report them: it counts them, so it knows where the body
 * ends, and the request ends as always. Without a free place, and where Node is not as expected, bodies are read as usual.
 *
 * One read is made in a turn of the event loop, so that other connections have theirs.
 *
 * Relies on node:http's parser having its callback for bodies in a property whose name is `kOnBody` of its class, and
 * counting without it (`on_body` in node_http_parser.cc), and on its taking data from the event `data` of the socket once
 * somebody has listened for that event (`unconsume` in _http_server.js).
 */
export class RawBody implements RawReader {
  readonly #request: IncomingMessage;
  readonly #socket: Socket;
  readonly #reads: RawReads;
  readonly #sink: RawBodySink;
  readonly #reportAgain: () => void;
  #leftBytes: number;
  #isOver = false;
  #isHeldUp = false;
  readonly #free: Buffer[] = [];
  #owned = 0;

  private constructor(
    request: IncomingMessage,
    reads: RawReads,
    parser: Parser,
    leftBytes: number,
    sink: RawBodySink,
  ) {
    this.#request = request;
    this.#socket = request.socket;
    this.#reads = reads;
    this.#sink = sink;
    this.#leftBytes = leftBytes;
    const report = parser[parser.constructor.kOnBody];
    parser[parser.constructor.kOnBody] = undefined;
    this.#reportAgain = () => {
      parser[parser.constructor.kOnBody] = report;
    };
    reads.reader = this;
  }

  /**
   * Takes over the body of `request`, if possible. Must not be called while node:http parses. Whoever reads the request
   * must stop before `start`; from then on the request emits only its end.
   */
  static begin(request: IncomingMessage, sink: RawBodySink): RawBody | undefined {
    const { socket, headers, complete } = request;
    if (!(request instanceof ServedRequest && request.isBodyTaken) || complete || socket.destroyed)
      return undefined;
    // node:http does not parse while earlier answers are not written
    if (Reflect.get(socket, '_paused') === true) return undefined;
    const leftBytes = Number(headers['content-length']) - request.parsedBytes;
    if (headers['transfer-encoding'] !== undefined || !(leftBytes >= LEAST_BYTES + socket.readableLength))
      return undefined;
    const parser: unknown = Reflect.get(socket, 'parser');
    if (!isParserOf(parser, request)) return undefined;
    const reads = RawReads.of(socket);
    if (!reads || reads.reader || !memory.enter()) return undefined;
    const body = new RawBody(request, reads, parser, leftBytes, sink);
    // node:http stops reading the connection itself
    const listener = () => undefined;
    socket.on('data', listener).off('data', listener);
    return body;
  }

  /** Passes on the bytes that have arrived, and continues to read. */
  start(): void {
    const [request, socket] = [this.#request, this.#socket];
    request.pause();
    for (
      let parsed: unknown = request.read();
      parsed instanceof Buffer && !this.#isOver;
      parsed = request.read()
    )
      this.#sink.arrived(parsed, undefined);
    // reading emits `data`: node:http's parser counts
    for (
      let waiting: unknown = socket.read();
      waiting instanceof Buffer && !this.#isOver;
      waiting = socket.read()
    ) {
      this.#leftBytes -= waiting.length;
      this.#sink.arrived(waiting, undefined);
    }
    if (this.#isOver) return;
    request.resume();
    setImmediate(() => this.#nextTurn());
  }

  arrived(own: Buffer, lengthBytes: number, isOwn: boolean): boolean {
    const body = own.subarray(0, Math.min(lengthBytes, this.#leftBytes));
    const rest = own.subarray(body.length, lengthBytes);
    this.#leftBytes -= body.length;
    const isLast = this.#leftBytes === 0;
    // node:http's parser counts
    this.#socket.emit('data', body);
    if (isOwn && !isLast && body.length >= LENT_BYTES) {
      this.#sink.arrived(body, () => this.#release(own));
    } else {
      this.#sink.arrived(Buffer.from(body), undefined);
      if (isOwn) this.#release(own);
    }
    if (isLast) return this.#ended(rest);
    if (!this.#isOver) setImmediate(() => this.#nextTurn());
    return false;
  }

  nextMemory(): Buffer | undefined {
    const free = this.#free.pop();
    if (free || this.#owned === PIECES) return free;
    this.#owned++;
    return memory.take();
  }

  /** The receiver wants more bytes. */
  goOn(): void {
    if (!this.#isHeldUp || this.#isOver) return;
    this.#isHeldUp = false;
    this.#socket.resume();
  }

  /** Later bytes are read by node:http as usual. */
  stop(): void {
    // with its last bytes the body ends in this turn, and what follows is the next request
    if (this.#isOver || this.#leftBytes === 0) return;
    this.#over();
    this.#socket.pause();
    // the memory of the next read cannot be taken back from a connection that is not read
    if (this.#socket.closed) memory.leave();
    else this.#socket.once('close', () => memory.leave());
  }

  /** @param rest bytes after the body */
  #ended(rest: Buffer): boolean {
    if (!this.#isOver) {
      this.#over();
      memory.leave();
      for (const piece of this.#free) memory.giveBack(piece);
    }
    return rest.length === 0 || this.#socket.push(Buffer.from(rest));
  }

  #over(): void {
    this.#isOver = true;
    this.#reads.reader = undefined;
    this.#reportAgain();
  }

  #release(piece: Buffer): void {
    if (!this.#isOver) this.#free.push(piece);
  }

  #nextTurn(): void {
    if (this.#isOver) return;
    this.#isHeldUp = !this.#sink.wantsMore;
    // a client whose connection is paused does not count as slow
    if (this.#isHeldUp) this.#socket.pause();
    else this.#socket.resume();
  }
}

/** A parser of node:http. Its callbacks are properties with numbers for names. */
interface Parser {
  readonly constructor: { readonly kOnBody: number };
  readonly incoming: unknown;
  [callback: number]: unknown;
}

function isParserOf(parser: unknown, request: IncomingMessage): parser is Parser {
  if (typeof parser !== 'object' || parser === null || !('incoming' in parser)) return false;
  const kOnBody: unknown = Reflect.get(parser.constructor, 'kOnBody');
  if (typeof kOnBody !== 'number' || parser.incoming !== request) return false;
  return typeof Reflect.get(parser, kOnBody) === 'function';
}
