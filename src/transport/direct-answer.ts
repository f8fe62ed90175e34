import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer, BodyGiver } from './answer.ts';
import { atTurnEnd, type TurnEndTask } from './turn-end.ts';

/** Whoever takes exceptions that should not have happened. */
export interface FaultTaker {
  fault?(error: unknown): void;
}

/** Where a response of node:http keeps its head and whether that is out. */
interface HeadKeeper {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * An answer that goes to the connection itself. What a small one costs is mostly the way through the response's own
 * queues and the turns in which they tell that they are empty; here head and body are one write, and the answer is
 * over when the connection has taken them. node:http still reads the requests, keeps answers in order and closes
 * connections: to it this is a response that was written and has finished.
 *
 * Answers that are whole are written together at the end of the turn: batching saves their readers wake-ups, as much
 * again as the queues cost.
 */
export class DirectAnswer implements Answer, TurnEndTask {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #faults: FaultTaker;
  /** Empty once it is out. */
  #head: string;
  #body: string | Buffer = '';
  #giver: BodyGiver | undefined;

  private constructor(response: ServerResponse, socket: Socket, head: string, faults: FaultTaker) {
    this.#response = response;
    this.#socket = socket;
    this.#faults = faults;
    this.#head = head;
  }

  /**
   * @param head from the status line to the blank line; names the length of the body and keeps the connection alive.
   * @returns undefined, and nothing has happened, where that head would not be true, another answer is to go before
   * this one, or this version of Node keeps a response's state elsewhere.
   */
  static begin(
    response: ServerResponse,
    status: number,
    head: string,
    faults: FaultTaker = {},
  ): DirectAnswer | undefined {
    const { socket } = response;
    if (!response.shouldKeepAlive || !socket?.writable || !keepsHead(response) || response._header !== null)
      return undefined;
    response.statusCode = status;
    response._header = head;
    response._headerSent = true;
    return new DirectAnswer(response, socket, head, faults);
  }

  endWith(body: string | Buffer, giver?: BodyGiver): void {
    this.#body = body;
    this.#giver = giver;
    atTurnEnd(this);
  }

  /** Sends what `endWith` was given. */
  run(): void {
    const body = this.#body;
    if (!this.#socket.writable) this.#tell(false);
    else if (typeof body === 'string') {
      this.#socket.write(this.#head + body, 'latin1');
      this.#complete();
    } else if (this.write(body, () => this.#complete())) this.#complete();
    else {
      this.#response.on('close', () => this.#tell(false));
      this.#giver?.waits();
    }
  }

  /** The connection ends, and with it what is lent for the answer. */
  failed(error: unknown): void {
    this.#response.destroy();
    this.#tell(false);
    this.#faults.fault?.(error);
  }

  write(bytes: Buffer, taken: () => void): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false;
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

  /** With the head, in one system call. */
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
    this.#tell(true);
  }

  /** Once: after its end a response is closed as well. */
  #tell(isTaken: boolean): void {
    const giver = this.#giver;
    this.#giver = undefined;
    giver?.over(isTaken);
  }

  /** What a response does of itself when its last byte is out. */
  #finish(): void {
    this.#response.finished = true;
    this.#response.emit('finish');
  }
}

function keepsHead(response: ServerResponse): response is ServerResponse & HeadKeeper {
  return '_header' in response && '_headerSent' in response;
}
