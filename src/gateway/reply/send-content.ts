import type { Content, ContentReader, Loan } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import type { Answer, BodyOwner } from '../../transport/answer.ts';
import { cutOff } from '../../transport/cut-off.ts';
import { sendQueueOf } from '../../transport/stream-response.ts';
import { LOAN_LIMIT_BYTES } from '../fill/slot-lender.ts';
import type { Exchange } from '../request/exchange.ts';
import { BodyPump, type PumpOutcome } from './body-pump.ts';
import type { BodyRate } from './body-rates.ts';
import { isFault } from './error-reply.ts';
import { PacedReader } from './paced-reader.ts';
import type { PendingSend, PendingSends } from './pending-sends.ts';

/** Callbacks of sending a content. */
export interface SendCallbacks {
  /** The registry of responses that wait for their clients. */
  readonly sends: PendingSends;
  /** How fast the client may have the body; undefined: no limit. */
  readonly rate: BodyRate | undefined;
  /** How much of the requested bytes was in memory; told once it is known, before `begin`, `failedBeforeHead` and `onEnd`. */
  onCoverage(coverage: Coverage): void;
  /** Begins the response; called once, when the first bytes are available. */
  begin(): Answer;
  /** The first bytes must come from the store. @throws TooManyRequestsError */
  onStoreWait(): void;
  /** Sending starts now; the end may have to wait for the client. */
  onBodyStart(): void;
  /** The response is complete or aborted, or the client has disconnected. */
  onEnd(): void;
  /** Reading failed before anything was sent. */
  failedBeforeHead(error: unknown): void;
}

/**
 * Bodies up to this size are sent as one string with the head. Longer ones cost less where they lie: a string is copied once more,
 * and beyond 16 KiB with its head Node allocates memory for that.
 */
const TEXT_LIMIT_BYTES = 4 * 1024;

/** Answers with `[from, to)` of `content`; synchronously if the first bytes are in memory. */
export function sendContent(
  exchange: Exchange,
  content: Content,
  from: number,
  to: number,
  callbacks: SendCallbacks,
): void {
  const isEmpty = exchange.isHead || from === to;
  if (exchange.response.destroyed) {
    callbacks.onCoverage(isEmpty ? 'all' : content.coverage(from, to));
    clientLeft(exchange, callbacks);
    return;
  }
  if (isEmpty) {
    callbacks.onCoverage('all');
    callbacks.begin().end();
    callbacks.onEnd();
    return;
  }
  const { rate } = callbacks;
  if (rate && !rate.takeNow(to - from)) {
    sendRead(exchange, content, from, to, callbacks, rate);
    return;
  }
  const text = to - from <= TEXT_LIMIT_BYTES ? content.peekText(from, to) : undefined;
  const loan = text === undefined && to - from <= LOAN_LIMIT_BYTES ? content.lend(from, to) : undefined;
  if (text !== undefined) sendText(exchange, text, callbacks);
  else if (loan) sendLoan(exchange, loan, callbacks);
  else sendRead(exchange, content, from, to, callbacks, undefined);
}

function sendText(exchange: Exchange, text: string, callbacks: SendCallbacks): void {
  exchange.bodyBytes = text.length;
  callbacks.onCoverage('all');
  callbacks.begin().endWith(text);
  callbacks.onEnd();
}

function sendLoan(exchange: Exchange, loan: Loan, callbacks: SendCallbacks): void {
  const answer = beginWith(loan, 'all', callbacks);
  callbacks.onBodyStart();
  answer.endWith(loan.bytes, new LentBody(exchange, loan, callbacks));
}

/** A body that is a single loan. The loan is released when the connection has accepted all of it, or has closed. */
class LentBody implements BodyOwner, PendingSend {
  readonly loan: Loan;
  readonly #exchange: Exchange;
  readonly #callbacks: SendCallbacks;

  constructor(exchange: Exchange, loan: Loan, callbacks: SendCallbacks) {
    this.#exchange = exchange;
    this.loan = loan;
    this.#callbacks = callbacks;
  }

  get socket(): object | null {
    return sendQueueOf(this.#exchange.response);
  }

  onBackpressure(): void {
    this.#callbacks.sends.watch(this);
  }

  cutOff(error: Error): void {
    this.#exchange.failure = error;
    cutOff(this.#exchange.response);
  }

  onDone(isTaken: boolean): void {
    const exchange = this.#exchange;
    if (isTaken) exchange.bodyBytes = this.loan.bytes.length;
    else exchange.hasClientLeft = exchange.failure === undefined;
    try {
      this.#callbacks.sends.forget(this);
      this.loan.release();
      this.#callbacks.onEnd();
    } catch (error) {
      exchange.fault(error);
    }
  }
}

/** Releases the loan if the response cannot begin. */
function beginWith(loan: Loan | undefined, coverage: Coverage, callbacks: SendCallbacks): Answer {
  try {
    callbacks.onCoverage(coverage);
    return callbacks.begin();
  } catch (error) {
    loan?.release();
    throw error;
  }
}

/** The response is closed: nothing follows, neither bytes nor an event. */
function clientLeft(exchange: Exchange, callbacks: SendCallbacks): void {
  exchange.hasClientLeft = true;
  callbacks.onEnd();
}

function sendRead(
  exchange: Exchange,
  content: Content,
  from: number,
  to: number,
  callbacks: SendCallbacks,
  rate: BodyRate | undefined,
): void {
  const coverage = content.coverage(from, to);
  const reader = content.open(from, to, false, exchange.trace);
  const paced = rate ? new PacedReader(reader, rate, exchange.response) : reader;
  new ReadBody(exchange, paced, coverage, to - from, callbacks).send();
}

/** A body that is read piece by piece. The response begins with its first bytes, which may have to come from the store. */
class ReadBody {
  readonly #exchange: Exchange;
  readonly #reader: ContentReader;
  /** How much of it this worker knew to be in memory. */
  readonly #coverage: Coverage;
  readonly #lengthBytes: number;
  readonly #callbacks: SendCallbacks;
  readonly #onClose: () => void;
  /** Whether it has ended before the response began. */
  #isOver = false;

  constructor(
    exchange: Exchange,
    reader: ContentReader,
    coverage: Coverage,
    lengthBytes: number,
    callbacks: SendCallbacks,
  ) {
    this.#exchange = exchange;
    this.#reader = reader;
    this.#coverage = coverage;
    this.#lengthBytes = lengthBytes;
    this.#callbacks = callbacks;
    this.#onClose = exchange.guard(() => {
      this.#isOver = true;
      reader.close();
      try {
        this.#tellCoverage();
      } finally {
        clientLeft(exchange, callbacks);
      }
    });
    exchange.response.once('close', this.#onClose);
  }

  send(): void {
    let first: Loan | undefined | Promise<Loan | undefined>;
    try {
      first = this.#reader.next();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (first instanceof Promise) this.#wait(first);
    else this.#begin(first);
  }

  #wait(first: Promise<Loan | undefined>): void {
    first
      .then(
        loan => this.#begin(loan),
        error => this.#fail(error),
      )
      .catch(error => this.#exchange.fault(error));
    try {
      this.#callbacks.onStoreWait();
    } catch (error) {
      this.#fail(error);
      this.#isOver = true;
    }
  }

  #begin(first: Loan | undefined): void {
    if (this.#isOver) {
      first?.release();
      return;
    }
    const exchange = this.#exchange;
    const callbacks = this.#callbacks;
    const { response } = exchange;
    const answer = beginWith(first, this.#held, callbacks);
    const pump = new BodyPump(response, answer, this.#reader, this.#lengthBytes, {
      sends: callbacks.sends,
      onEnd: end => {
        exchange.bodyBytes = pump.sentBytes;
        noteEnd(exchange, end);
        callbacks.onEnd();
      },
      onFault: error => exchange.fault(error),
    });
    response.off('close', this.#onClose);
    callbacks.onBodyStart();
    pump.start(first);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#exchange.response.off('close', this.#onClose);
    this.#reader.close();
    this.#tellCoverage();
    this.#callbacks.failedBeforeHead(error);
  }

  /** The owner of the content knows it, where another worker had to be asked. */
  get #held(): Coverage {
    return this.#reader.held ?? this.#coverage;
  }

  #tellCoverage(): void {
    this.#callbacks.onCoverage(this.#held);
  }
}

function noteEnd(exchange: Exchange, end: PumpOutcome): void {
  if (end.kind === 'failed') exchange.failure = end.error;
  if (end.kind === 'failed' && isFault(end.error)) exchange.fault(end.error);
  if (end.kind === 'client-left') exchange.hasClientLeft = true;
}
