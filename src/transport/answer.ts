import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { needsPieces, writePieces } from './secure-pieces.ts';
import { atTurnEnd, type TurnEndTask } from './turn-end.ts';

/** The owner of a body that is being sent. */
export interface BodyOwner {
  /** Called when the connection has not accepted all of the body at once. */
  onBackpressure(): void;
  /**
   * Called once: `isTaken` when the connection has accepted all bytes, which may be reused now; false when the client
   * has disconnected before.
   */
  onDone(isTaken: boolean): void;
}

/** Sends the body of a response whose head is already prepared. The head is sent before the first byte of the body. */
export interface Answer {
  /**
   * Sends the complete body.
   *
   * @param body a string contains one character, at most U+00FF, per byte; its bytes may be copied
   */
  endWith(body: string | Buffer, owner?: BodyOwner): void;
  /**
   * Sends the next bytes.
   *
   * @param taken called when the connection has accepted the bytes; never called if the client disconnects before (the
   * response then closes)
   * @returns true when the bytes were accepted synchronously; `taken` is not called then, and the caller may reuse them
   */
  write(bytes: Buffer, taken: () => void): boolean;
  /** Ends the body. */
  end(): void;
}

/**
 * An answer sent by node:http, whose head was written with `writeHead`. It is ended only after its last byte is out: a
 * connection whose response has ended counts as idle and is closed when the server drains.
 */
export class StandardAnswer implements Answer {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  endWith(body: string | Buffer, owner?: BodyOwner): void {
    const response = this.#response;
    if (owner) response.on('close', () => owner.onDone(response.writableFinished));
    if (typeof body === 'string') response.end(body, 'latin1');
    else this.write(body, () => response.end());
    owner?.onBackpressure();
  }

  write(bytes: Buffer, taken: () => void): boolean {
    const response = this.#response;
    const { socket } = response;
    const write = (piece: Buffer, done: (error?: Error | null) => void) => void response.write(piece, done);
    if (socket && needsPieces(socket, bytes)) writePieces(socket, bytes, write, taken);
    else
      write(bytes, error => {
        if (!error) taken();
      });
    return false;
  }

  end(): void {
    this.#response.end();
  }
}

/** Receives unexpected exceptions. */
export interface FaultHandler {
  fault?(error: unknown): void;
}

/** The private fields of a node:http response that hold its head and whether it was sent. */
interface HeadFields {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * Writes a response directly to the socket. The cost of a small response is mostly that of node:http's output queue and
 * its events; here head and body are one write, and the response is finished as soon as the socket has accepted it.
 * node:http still parses requests, keeps responses in order and closes connections; to it this looks like a response
 * that has finished.
 *
 * Complete responses are written together at the end of the turn: batching saves the clients wake-ups, about as
 * much as bypassing the queue.
 */
export class DirectAnswer implements Answer, TurnEndTask {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #faults: FaultHandler;
  /** Empty once it was written. */
  #head: string;
  #body: string | Buffer = '';
  #owner: BodyOwner | undefined;

  private constructor(response: ServerResponse, socket: Socket, head: string, faults: FaultHandler) {
    this.#response = response;
    this.#socket = socket;
    this.#faults = faults;
    this.#head = head;
  }

  /**
   * @param head from the status line to the blank line; must contain the content length and keep the connection alive
   * @returns undefined, without any effect, when the connection must be closed, an earlier response is still pending,
   * or this version of Node keeps the head elsewhere
   */
  static begin(
    response: ServerResponse,
    status: number,
    head: string,
    faults: FaultHandler = {},
  ): DirectAnswer | undefined {
    const { socket } = response;
    if (
      !response.shouldKeepAlive ||
      !socket?.writable ||
      !hasHeadFields(response) ||
      response._header !== null
    )
      return undefined;
    response.statusCode = status;
    response._header = head;
    response._headerSent = true;
    return new DirectAnswer(response, socket, head, faults);
  }

  endWith(body: string | Buffer, owner?: BodyOwner): void {
    this.#body = body;
    this.#owner = owner;
    atTurnEnd(this);
  }

  /** Writes the body given to `endWith`. */
  run(): void {
    const body = this.#body;
    if (!this.#socket.writable) this.#notifyOwner(false);
    else if (typeof body === 'string') {
      this.#socket.write(this.#head + body, 'latin1');
      this.#complete();
    } else if (this.write(body, () => this.#complete())) this.#complete();
    else {
      this.#response.on('close', () => this.#notifyOwner(false));
      this.#owner?.onBackpressure();
    }
  }

  /** Closes the connection and releases the body. */
  failed(error: unknown): void {
    this.#response.destroy();
    this.#notifyOwner(false);
    this.#faults.fault?.(error);
  }

  write(bytes: Buffer, taken: () => void): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
    if (needsPieces(socket, bytes)) {
      writePieces(socket, bytes, (piece, done) => this.#writePiece(piece, done), taken);
      return false;
    }
    if (this.#head === '') socket.write(bytes);
    else this.#writeFirst(bytes);
    if (socket.writableLength === 0 && socket.writable) return true;
    socket.write('', error => {
      if (!error) taken();
    });
    return false;
  }

  end(): void {
    if (this.#head === '') this.#finish();
    else this.endWith('');
  }

  #writePiece(piece: Buffer, done: (error?: Error | null) => void): void {
    if (this.#head !== '') {
      this.#socket.write(this.#head, 'latin1');
      this.#head = '';
    }
    this.#socket.write(piece, done);
  }

  /** Writes the head and `bytes` in one system call. */
  #writeFirst(bytes: Buffer): void {
    const socket = this.#socket;
    socket.cork();
    socket.write(this.#head, 'latin1');
    socket.write(bytes);
    socket.uncork();
    this.#head = '';
  }

  #complete(): void {
    this.#finish();
    this.#notifyOwner(true);
  }

  /** Notifies the owner of the body, at most once: a finished response is closed later as well. */
  #notifyOwner(isTaken: boolean): void {
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.onDone(isTaken);
  }

  /** Does what a response of node:http does when its last byte is out. */
  #finish(): void {
    this.#response.finished = true;
    this.#response.emit('finish');
  }
}

function hasHeadFields(response: ServerResponse): response is ServerResponse & HeadFields {
  return '_header' in response && '_headerSent' in response;
}
