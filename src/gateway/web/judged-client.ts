import type { ReadableRecord } from '../../cache/record.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { CacheReport, LookupOutcome } from '../request/cache-status.ts';
import type { Collections } from './collected-body.ts';
import { type JudgedAnswer, JudgedWait, type Judging } from './judged-wait.ts';
import { datedBy } from './stored-answer.ts';
import type { Visitor } from './visitor.ts';
import type { WaitingClient } from './waiting-client.ts';
import { shownAgeS } from './web-answer.ts';
import type { RecordSource, WebClient, WebRead } from './web-read.ts';

/** What one of a visitor's reads has brought. */
export type Arrived = JudgedAnswer | Failed;

/** There is no answer. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
  readonly report: CacheReport;
}

interface JudgedParts {
  readonly visitor: Visitor;
  /** Decides what becomes of what arrives. */
  readonly judge: (arrived: Arrived) => void;
  /** Answers the visitor with what the origin says, where what it has said is not at hand any more. */
  readonly again: () => void;
  /** Of bodies that are held back. */
  readonly bodies: Collections;
}

/** Stands for a visitor in one of its reads. */
export class JudgedClient implements WebClient, Judging {
  report: CacheReport;
  readonly #parts: JudgedParts;
  /** Whether something has arrived that the visitor has not got: what becomes of the rest of it is not told. */
  #isJudged = false;
  /** Whether the visitor gets what has arrived, and is told in its own report how. */
  #isGiven = false;

  constructor(parts: JudgedParts) {
    this.#parts = parts;
    this.report = parts.visitor.client.report;
  }

  get quota(): string {
    return this.#parts.visitor.client.quota;
  }

  answer(
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    source: RecordSource,
    told?: readonly HeaderField[],
  ): void {
    const { visitor } = this.#parts;
    const { client } = visitor;
    const shownFields = datedBy(told ?? record.fields, client.nowMs);
    this.judge({
      kind: 'answer',
      status: record.answer?.status ?? 200,
      // what is given with it may come much later
      get fields() {
        const ageS = shownAgeS(record, outcome, client.nowMs);
        const age = ageS === undefined ? [] : [{ name: 'age', value: String(ageS), store: false }];
        return [...shownFields, ...age];
      },
      by: read,
      isHeld: outcome.forwarded === undefined,
      report: client.reportOf(read, record, outcome),
      give: shown => {
        if (!visitor.release()) return;
        this.given();
        if (shown) client.answerAs(shown, read, record, outcome, source);
        else client.answer(read, record, outcome, source, told);
      },
      drop: () => undefined,
    });
  }

  wait(left: () => void): WaitingClient {
    const { visitor, again, bodies } = this.#parts;
    const wait = new JudgedWait(this, { visitor, again, bodies, left });
    visitor.wait(wait.left);
    return wait;
  }

  judge(answer: JudgedAnswer): void {
    this.#isJudged = true;
    this.#parts.judge(answer);
  }

  given(): void {
    this.#isJudged = false;
    this.#isGiven = true;
  }

  refuse(error: unknown): void {
    if (this.#isJudged) return;
    const { report } = this.#isGiven ? this.#parts.visitor.client : this;
    this.#parts.judge({ kind: 'failed', error, report });
  }

  whenGone(then: () => void): void {
    this.#parts.visitor.client.whenGone(then);
  }
}
