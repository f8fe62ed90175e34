import type { StoreCall } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { OwnerLostError } from '../fill/fill-error.ts';
import { failedWith, type Warmed } from '../read/warmed.ts';
import { placeText } from '../request/bucket.ts';
import { cacheHit } from '../request/cache-status.ts';
import { endsHeld, restFails } from '../web/origin-failures.ts';
import { answersNow, wantsMissing } from '../web/stale-answers.ts';
import type { WaitingClient } from '../web/waiting-client.ts';
import { isFailure } from '../web/web-fetch.ts';
import type { RecordSource, WebRead, WebSource } from '../web/web-read.ts';
import type { WebReads } from '../web/web-reads.ts';
import { type WebPage, webKeyOf } from '../web/web-target.ts';
import type { NearAnswers } from './near-answers.ts';
import type { PeerLink } from './peer-link.ts';
import { RemoteContent } from './remote-content.ts';
import type { StandIn } from './stand-in.ts';
import { ON_THE_WAY_BYTES, type WebNotices, type WireWebEnd, type WireWebRead } from './web-messages.ts';
import { decodeError } from './wire-error.ts';

type AskersProcedures = Pick<WebNotices, 'webInformed' | 'webBegan' | 'webArrived'>;

/** A read that the owner was asked. */
interface Question {
  readonly read: WebRead;
  readonly client: WaitingClient;
  /** Whether the client has had the beginning of an answer. */
  hasBegun: boolean;
  /** Bytes that have arrived, and the owner was not told so. */
  untoldBytes: number;
}

/**
 * Reads of names that one other worker owns: answered from what that has told, or by asking it, so that the origin gets one
 * question however many workers there are (docs/architecture.md, law 4).
 */
export class RemoteWeb implements WebSource, RecordSource {
  readonly #link: PeerLink;
  readonly #near: NearAnswers;
  readonly #own: Pick<WebReads, 'askUnkept'>;
  readonly #standIn: StandIn;
  readonly #questions = new Map<number, Question>();
  #asked = 0;

  /**
   * @param own asks the origin where what the owner tells has always changed already
   * @param standIn used where the owner has ended or is blocked
   */
  constructor(link: PeerLink, near: NearAnswers, own: Pick<WebReads, 'askUnkept'>, standIn: StandIn) {
    this.#link = link;
    this.#near = near;
    this.#own = own;
    this.#standIn = standIn;
  }

  /** What the owner may call. */
  get procedures(): AskersProcedures {
    return {
      webInformed: ({ number, status, rawHeaders }) =>
        this.#questions.get(number)?.client.inform(status, rawHeaders),
      webBegan: ({ number, head, report }) => {
        const question = this.#questions.get(number);
        question?.read.attempt(() => this.#begin(number, question, head, report));
      },
      webArrived: ({ number, bytes }) => this.#arrived(number, bytes),
    };
  }

  serve(read: WebRead): void {
    const record = this.#near.find(read);
    // of what is not known to be held the owner knows whether it can be had
    if (record && answersNow(record, read) && !wantsMissing(record, read))
      read.client.answer(read, record, cacheHit, this);
    else this.#ask(read, false);
  }

  async warm({ bucket, key }: WebPage, gone: AbortSignal): Promise<Warmed> {
    const number = ++this.#asked;
    gone.addEventListener('abort', () => this.#link.notify('webGone', number));
    const objectKey = webKeyOf(bucket, key);
    const page = { number, bucketName: bucket.name, objectKey, place: placeText(bucket), key };
    return this.#link.call('webWarm', page).catch(failedWith);
  }

  failed(read: WebRead, record: ReadableRecord, error: unknown): void {
    const { bucket, target } = read;
    if (endsHeld(error)) this.#forget(read, record);
    else if (restFails(error))
      this.#link.notify('webRestFailed', { bucketName: bucket.name, objectKey: target.key });
  }

  #forget(read: WebRead, record: ReadableRecord): void {
    this.#near.forget(read, record);
    const { bucket, target } = read;
    if (record.content instanceof RemoteContent) {
      const { contentId } = record.content;
      this.#link.notify('webForget', { bucketName: bucket.name, objectKey: target.key, contentId });
    }
  }

  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void {
    this.failed(read, record, error);
    // what the owner holds may have become another content, or be elsewhere; otherwise it would fail again
    if (read.mayRepeat()) read.attempt(() => this.#ask(read, restFails(error)));
    else if (isFailure(error)) read.client.refuse(error);
    else this.#own.askUnkept(read);
  }

  /** The owner has ended. */
  disconnected(): void {
    for (const number of [...this.#questions.keys()]) this.#lost(number);
  }

  /** @param isAnew see `WireWebRead` */
  #ask(read: WebRead, isAnew: boolean): void {
    const number = ++this.#asked;
    const gone = () => this.#link.notify('webGone', number);
    const client = read.client.wait(() => {
      this.#questions.delete(number);
      gone();
    });
    this.#questions.set(number, { read, client, hasBegun: false, untoldBytes: 0 });
    // a late answer counts where the client has had its beginning
    this.#link
      .call('webRead', encodeRead(number, read, isAnew), late => this.#ended(number, late))
      .then(end => this.#ended(number, end))
      .catch((error: unknown) => this.#failed(number, error));
  }

  #begin(
    number: number,
    question: Question,
    head: Parameters<WebNotices['webBegan']>[0]['head'],
    report: Parameters<WebNotices['webBegan']>[0]['report'],
  ): void {
    const { read, client } = question;
    question.hasBegun = true;
    read.client.report = report;
    client.begin(head, read);
    client.follow(this.#callOf(number));
    read.client.whenGone(() => this.#link.notify('webGone', number));
  }

  #arrived(number: number, { buffer }: Uint8Array<ArrayBuffer>): void {
    const question = this.#questions.get(number);
    if (!question) return;
    // before the owner is told to send more, it is told whether the client takes more
    question.client.write(Buffer.from(buffer));
    question.untoldBytes += buffer.byteLength;
    if (question.untoldBytes < ON_THE_WAY_BYTES / 4) return;
    this.#link.notify('webPaced', { number, pace: { gotBytes: question.untoldBytes } });
    question.untoldBytes = 0;
  }

  #callOf(number: number): StoreCall {
    const link = this.#link;
    return {
      pause: () => link.notify('webPaced', { number, pace: 'pause' }),
      resume: () => link.notify('webPaced', { number, pace: 'resume' }),
      took: tookBytes => link.notify('webPaced', { number, pace: { tookBytes } }),
      abort: () => link.notify('webGone', number),
    };
  }

  #ended(number: number, end: WireWebEnd): void {
    this.#standIn.end();
    const question = this.#take(number);
    if (!question) return;
    const { read, client } = question;
    read.attempt(() => {
      if (end.kind === 'passed') client.end(end.rawTrailers);
      else if (end.kind === 'failed') {
        read.client.report = end.report;
        client.fail(decodeError(end.error));
      } else {
        const { outcome, told, keptAt } = end;
        const record = this.#near.learn(read, end.record, keptAt);
        if (client.release()) read.client.answer(read, record, outcome, this, told);
      }
    });
  }

  /** Where the owner is only blocked, who has had the beginning of an answer waits for the rest. */
  #failed(number: number, error: unknown): void {
    if (error instanceof OwnerLostError && this.#questions.get(number)?.hasBegun) return;
    this.#lost(number);
  }

  #lost(number: number): void {
    const question = this.#take(number);
    if (!question) return;
    const { read, client, hasBegun } = question;
    this.#link.notify('webGone', number);
    if (hasBegun) client.fail(new OwnerLostError('has just been replaced'));
    else if (client.release()) read.attempt(() => this.#standIn.serve(read));
  }

  #take(number: number): Question | undefined {
    const question = this.#questions.get(number);
    this.#questions.delete(number);
    return question;
  }
}

function encodeRead(
  number: number,
  { request, bucket, sent, client }: WebRead,
  isAnew: boolean,
): WireWebRead {
  const { bucket: _bucket, ...address } = request.address;
  const place = placeText(bucket);
  return {
    number,
    bucketName: bucket.name,
    place,
    request: { ...request, address },
    sent,
    isAnew,
    quota: client.quota,
  };
}
