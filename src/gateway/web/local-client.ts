import { clientOf } from '../../base/client-quota.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { type Representation, type Representations, varied } from '../reply/representations.ts';
import type { CacheReport, CacheReports, LookupOutcome } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Collections } from './collected-body.ts';
import { PassedAnswer } from './passed-answer.ts';
import type { WaitingClient } from './waiting-client.ts';
import { type ShownHead, WebAnswer } from './web-answer.ts';
import { headersOfStored, prepare } from './web-headers.ts';
import type { RecordSource, WebClient, WebRead } from './web-read.ts';

/** What the answers of a worker share. */
export interface AnswerParts {
  readonly observer: ExchangeObserver;
  readonly representations: Representations;
  readonly reports: CacheReports;
  /** Of bodies that cannot be asked for again, for those who read them. */
  readonly copies: Collections;
}

/** A client of this worker. */
export class LocalClient implements WebClient {
  readonly #exchange: Exchange;
  readonly #parts: AnswerParts;

  constructor(exchange: Exchange, parts: AnswerParts) {
    this.#exchange = exchange;
    this.#parts = parts;
  }

  get quota(): string {
    return clientOf(clientAddressOf(this.#exchange.response.req));
  }

  get report(): CacheReport {
    return this.#exchange.report;
  }

  set report(report: CacheReport) {
    this.#exchange.report = report;
  }

  answer(
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    source: RecordSource,
    told?: readonly HeaderField[],
  ): void {
    const exchange = this.#exchange;
    const { rules } = read;
    const shown = this.#shown(read, record, outcome, told !== undefined);
    const prepared = told
      ? prepare(record, shown ? varied(told) : told, rules)
      : headersOfStored(shown?.record ?? record, rules);
    const answered = { read, exchange, outcome, prepared };
    new WebAnswer(
      shown
        ? {
            ...answered,
            record: shown.record,
            source: this.#sourceOf(shown, record, outcome, source),
            isMade: shown.coding !== undefined,
          }
        : { ...answered, record, source, isMade: false },
      this.#parts,
    ).give();
  }

  /** Answers with the content of `record`, shown as another answer. */
  answerAs(
    shown: ShownHead,
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    source: RecordSource,
  ): void {
    const exchange = this.#exchange;
    const { status, fields, by } = shown;
    const asShown = { ...record, fields, answer: { status, vary: [] } };
    // what rules say is about what the client has asked for
    const rules = { ...read.rules, cache: by.policy, answers: exchange.answerRules };
    const prepared = prepare(asShown, fields, rules);
    const found: RecordSource = {
      failed: (_read, _record, error) => source.failed(read, record, error),
      answerAnew: (_read, _record, error) => source.answerAnew(read, record, error),
    };
    const answered = { read, exchange, record: asShown, outcome, source: found, prepared, shown };
    new WebAnswer({ ...answered, isMade: false }, this.#parts).give();
  }

  /** What an answer with `record` is reported as, if all of it is held. */
  reportOf({ policy }: WebRead, record: ReadableRecord, outcome: LookupOutcome): CacheReport {
    return this.#parts.reports.ofRecord(record, outcome, 'all', policy, this.nowMs);
  }

  get nowMs(): number {
    return this.#parts.observer.nowMs;
  }

  /** What the client gets of `record`; undefined where no rule concerns it. @param isTold whether the origin has just sent it */
  #shown(
    { fields, rules: { compress } }: WebRead,
    record: ReadableRecord,
    { how }: LookupOutcome,
    isTold: boolean,
  ): Representation | undefined {
    if (compress === undefined || compress === 'off') return undefined;
    const asked = isTold ? { ...fields, acceptEncoding: undefined } : fields;
    const mayMake = !this.#exchange.isHead && how !== 'fetched';
    const shown = this.#parts.representations.of(record, compress, asked, mayMake);
    return shown.record === record ? undefined : shown;
  }

  /** Where `record` was found, of which the client gets what is shown: the content as it is where that cannot be read. */
  #sourceOf(
    { coding }: Representation,
    record: ReadableRecord,
    outcome: LookupOutcome,
    source: RecordSource,
  ): RecordSource {
    return {
      failed: (read, _, error) => {
        // what was made here says nothing of the answer
        if (coding === undefined) source.failed(read, record, error);
      },
      answerAnew: (read, _, error) => {
        if (coding === undefined) {
          source.answerAnew(read, record, error);
          return;
        }
        record.content.encodings?.forget(coding);
        try {
          this.answer(read, record, outcome, source, record.fields);
        } catch (refusal) {
          this.refuse(refusal);
        }
      },
    };
  }

  wait(left: () => void): WaitingClient {
    return new PassedAnswer(this.#exchange, this.#parts.observer, left);
  }

  refuse(error: unknown): void {
    this.#exchange.refuse(error);
  }

  whenGone(then: () => void): void {
    const { response } = this.#exchange;
    if (response.closed) then();
    else response.once('close', then);
  }
}
