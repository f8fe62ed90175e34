import { clientOf } from '../../base/client-quota.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { CacheReport, CacheReports, LookupOutcome } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import { PassedAnswer } from './passed-answer.ts';
import type { WaitingClient } from './waiting-client.ts';
import { WebAnswer } from './web-answer.ts';
import { prepare, type WebHeaders } from './web-headers.ts';
import type { RecordSource, WebClient, WebRead } from './web-read.ts';

/** What the answers of a worker share. */
export interface AnswerParts {
  readonly observer: ExchangeObserver;
  readonly headers: WebHeaders;
  readonly reports: CacheReports;
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
    const { headers } = this.#parts;
    const prepared = told ? prepare(record, told, read.policy) : headers.of(record, read.policy);
    new WebAnswer({ read, exchange: this.#exchange, record, outcome, source, prepared }, this.#parts).give();
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
