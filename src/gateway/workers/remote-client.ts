import type { StoreCall, StoreReplyHead } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { copyOf } from '../fill/spare-copies.ts';
import { type CacheReport, type LookupOutcome, refusedBeforeLookup } from '../request/cache-status.ts';
import type { WaitingClient } from '../web/waiting-client.ts';
import type { RecordSource, WebClient, WebRead } from '../web/web-read.ts';
import type { WireRecord } from './messages.ts';
import type { PeerLink } from './peer-link.ts';
import { ON_THE_WAY_BYTES, type Pace, type WireWebEnd } from './web-messages.ts';
import { encodeError } from './wire-error.ts';

interface RemoteClientParts {
  /** Of the read, at the other worker. */
  readonly number: number;
  readonly quota: string;
  readonly link: PeerLink;
  readonly encode: (record: ReadableRecord) => WireRecord;
  /** See `WebReads.tell`. */
  readonly tell: (read: WebRead, record: ReadableRecord) => number | undefined;
  /** Called once. */
  readonly ended: (end: WireWebEnd) => void;
}

/** A client of another worker, which waits there: that worker is told what it gets. */
export class RemoteClient implements WebClient, WaitingClient {
  report: CacheReport = refusedBeforeLookup;
  readonly #parts: RemoteClientParts;
  readonly #whenGone: (() => void)[] = [];
  #isGone = false;
  #hasEnded = false;
  #left: (() => void) | undefined;
  #call: StoreCall | undefined;
  /** By the client. */
  #isPaused = false;
  /** Bytes that the other worker has not told to have got. */
  #onTheWayBytes = 0;

  constructor(parts: RemoteClientParts) {
    this.#parts = parts;
  }

  get quota(): string {
    return this.#parts.quota;
  }

  answer(
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    _source: RecordSource,
    told?: readonly HeaderField[],
  ): void {
    const toldAt = this.#parts.tell(read, record);
    const keptAt = outcome.how === 'hit' || outcome.isStored ? toldAt : undefined;
    this.#end({ kind: 'record', record: this.#parts.encode(record), outcome, keptAt, told });
  }

  /** The worker that has the client counts it, and has refused it if there are too many. */
  wait(left: () => void): WaitingClient {
    this.#left = left;
    if (this.#isGone) queueMicrotask(() => this.#leave());
    return this;
  }

  refuse(error: unknown): void {
    this.#end({ kind: 'failed', error: encodeError(error), report: this.report });
  }

  whenGone(then: () => void): void {
    if (this.#isGone) then();
    else this.#whenGone.push(then);
  }

  get isWaiting(): boolean {
    return this.#left !== undefined;
  }

  release(): boolean {
    const { isWaiting } = this;
    this.#left = undefined;
    return isWaiting;
  }

  inform(status: number, rawHeaders: readonly string[]): void {
    const { link, number } = this.#parts;
    if (this.isWaiting) link.notify('webInformed', { number, status, rawHeaders });
  }

  begin({ status, fields }: StoreReplyHead): void {
    const { link, number } = this.#parts;
    if (this.isWaiting) link.notify('webBegan', { number, head: { status, fields }, report: this.report });
  }

  follow(call: StoreCall): void {
    if (!this.isWaiting) return;
    this.#call = call;
    if (this.#mustWait) call.pause();
  }

  write(chunk: Buffer): void {
    if (!this.isWaiting) return;
    const { link, number } = this.#parts;
    const bytes = new Uint8Array(copyOf(chunk).buffer);
    this.#pace(() => {
      this.#onTheWayBytes += bytes.length;
    });
    link.notify('webArrived', { number, bytes }, [bytes.buffer]);
  }

  end(rawTrailers?: readonly string[]): void {
    if (this.release()) this.#end({ kind: 'passed', ...(rawTrailers && { rawTrailers }) });
  }

  fail(error: unknown): void {
    if (this.release()) this.refuse(error);
  }

  /** It has left, or has taken all that it was sent. */
  gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#call = undefined;
    for (const then of this.#whenGone.splice(0)) then();
    this.#leave();
    // nobody waits for the end, but the call must not stay open
    this.#end({ kind: 'passed' });
  }

  keepPace(pace: Pace): void {
    if (typeof pace === 'string')
      this.#pace(() => {
        this.#isPaused = pace === 'pause';
      });
    else if (pace.gotBytes === undefined) this.#call?.took(pace.tookBytes);
    else
      this.#pace(() => {
        this.#onTheWayBytes -= pace.gotBytes;
      });
  }

  get #mustWait(): boolean {
    return this.#isPaused || this.#onTheWayBytes >= ON_THE_WAY_BYTES;
  }

  /** Pauses or resumes the call if `step` changes which it is to be. */
  #pace(step: () => void): void {
    const before = this.#mustWait;
    step();
    if (this.#mustWait === before) return;
    if (before) this.#call?.resume();
    else this.#call?.pause();
  }

  #leave(): void {
    const left = this.#left;
    this.#left = undefined;
    left?.();
  }

  #end(end: WireWebEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#left = undefined;
    // its client may still be slow: a call that has ended keeps no pace
    this.#call = undefined;
    this.#parts.ended(end);
    // what was passed on may wait at the other worker for its client
    if (end.kind !== 'passed') this.gone();
  }
}
