import type { StoreCall, StoreReplyHead } from '../../backend/store.ts';
import { COLLECTED_LIMIT_BYTES, type CollectedBody, type Collections } from './collected-body.ts';
import { datedBy } from './stored-answer.ts';
import type { Visitor } from './visitor.ts';
import type { AnsweredRead, WaitingClient } from './waiting-client.ts';
import type { ShownHead } from './web-answer.ts';
import type { WebClient } from './web-read.ts';

/** An answer to one of a visitor's reads, before the visitor gets any of it. */
export interface JudgedAnswer extends ShownHead {
  readonly kind: 'answer';
  /** Whether nobody was asked for it. */
  readonly isHeld: boolean;
  /** The visitor gets it. @param shown with this status and these fields */
  give(shown?: ShownHead): void;
  /** The visitor gets something else. */
  drop(): void;
}

/** Who decides what becomes of an answer. */
export interface Judging extends Pick<WebClient, 'report' | 'quota' | 'whenGone' | 'refuse'> {
  judge(answer: JudgedAnswer): void;
  /** From now on what becomes of the read is told the visitor. */
  given(): void;
}

interface WaitParts {
  readonly visitor: Visitor;
  readonly again: () => void;
  readonly bodies: Collections;
  readonly left: () => void;
}

/** Waits in one of a visitor's reads: what comes is judged by its head, and held back until the visitor gets it or something else. */
export class JudgedWait implements WaitingClient {
  readonly #client: Judging;
  readonly #parts: WaitParts;
  #state: 'waiting' | 'held' | 'given' | 'dropped' = 'waiting';
  /** Who gets it, once that is decided. */
  #given: WaitingClient | undefined;
  #body: CollectedBody | undefined;
  #call: StoreCall | undefined;
  #droppedBytes = 0;
  #end: ((given: WaitingClient) => void) | undefined;

  constructor(client: Judging, parts: WaitParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** The visitor leaves. */
  readonly left = () => {
    this.#body?.drop();
    this.#parts.left();
  };

  get isWaiting(): boolean {
    return this.#state !== 'dropped' && this.#parts.visitor.isThere;
  }

  release(): boolean {
    const { isWaiting } = this;
    this.#drop();
    return isWaiting;
  }

  inform(status: number, rawHeaders: readonly string[]): void {
    if (this.#state === 'waiting') this.#parts.visitor.waiting().inform(status, rawHeaders);
  }

  begin(head: StoreReplyHead, read: AnsweredRead): void {
    if (this.#state !== 'waiting') return;
    const client = this.#client;
    const fields = datedBy(head.fields, this.#parts.visitor.client.nowMs);
    this.#state = 'held';
    this.#body = this.#parts.bodies.begin(COLLECTED_LIMIT_BYTES, client);
    client.judge({
      ...{ kind: 'answer', isHeld: false, status: head.status, fields, report: client.report },
      by: read,
      give: shown => this.#give({ ...head, fields }, read, shown),
      drop: () => this.#drop(),
    });
  }

  follow(call: StoreCall): void {
    this.#call = call;
    this.#given?.follow(call);
  }

  write(chunk: Buffer): void {
    if (this.#given) this.#given.write(chunk);
    else if (this.#state === 'held') {
      if (this.#body?.add(chunk) !== 'kept') this.#lose();
    } else this.#discard(chunk.length);
  }

  end(rawTrailers?: readonly string[]): void {
    if (this.#given) this.#given.end(rawTrailers);
    else this.#end = given => given.end(rawTrailers);
  }

  fail(error: unknown): void {
    if (this.#given) this.#given.fail(error);
    else if (this.#state === 'held') this.#end = given => given.fail(error);
    else if (this.#state === 'waiting') {
      this.#drop();
      this.#client.refuse(error);
    }
  }

  #give(head: StoreReplyHead, read: AnsweredRead, shown: ShownHead | undefined): void {
    const { visitor, again } = this.#parts;
    this.#client.given();
    if (!this.#body) {
      if (visitor.release()) again();
      return;
    }
    const given = visitor.waiting();
    visitor.client.report = shown?.report ?? this.#client.report;
    this.#state = 'given';
    this.#given = given;
    given.begin(shown ?? head, shown?.by ?? read);
    for (const chunk of this.#body.chunks) given.write(chunk);
    this.#body.drop();
    if (this.#end) this.#end(given);
    else if (this.#call) given.follow(this.#call);
  }

  #drop(): void {
    this.#state = 'dropped';
    this.#parts.visitor.forget(this.left);
    this.#body?.drop();
    this.#body = undefined;
  }

  /** Too much of it has come. */
  #lose(): void {
    this.#body = undefined;
    this.#call?.abort();
  }

  /** Short answers are read to their end, so that the cache keeps them. */
  #discard(lengthBytes: number): void {
    this.#droppedBytes += lengthBytes;
    if (this.#droppedBytes > COLLECTED_LIMIT_BYTES) this.#call?.abort();
  }
}
