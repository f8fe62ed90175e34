import type { ReadableRecord } from '../../cache/record.ts';
import { failedWith, readThrough, type Warmed } from '../read/warmed.ts';
import { nobodysRead } from './nobodys-read.ts';
import { asksOtherwise } from './one-request.ts';
import { isSelected } from './shared-questions.ts';
import { answersNow, holdsAll } from './stale-answers.ts';
import type { AloneLanding, Landing } from './web-flight.ts';
import type { WebQuestions } from './web-questions.ts';
import type { WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';
import type { WebPage } from './web-target.ts';
import { whyNotKept } from './why-not-kept.ts';

/** Fetches what web origins answer before somebody asks for it, in nobody's name. */
export class WebWarming {
  readonly #records: Pick<WebRecords, 'find'>;
  readonly #questions: Pick<WebQuestions, 'join' | 'renew'>;
  readonly #nowMs: () => number;

  constructor(
    records: Pick<WebRecords, 'find'>,
    questions: Pick<WebQuestions, 'join' | 'renew'>,
    nowMs: () => number,
  ) {
    this.#records = records;
    this.#questions = questions;
    this.#nowMs = nowMs;
  }

  /** See `WebSource.warm`. */
  async warm(page: WebPage, gone: AbortSignal): Promise<Warmed> {
    const read = nobodysRead(page, this.#nowMs());
    if (read.policy.mode === 'bypass') return { kind: 'uncached', reason: 'bypass' };
    try {
      const held = this.#records.find(read);
      if (held && answersNow(held, read)) return await this.#completed(read, held, 'held', gone);
      return await this.#outcomeOf(read, await this.#ask(read, gone), gone);
    } catch (error) {
      return failedWith(error);
    }
  }

  /** @throws what `failedWith` tells */
  async #outcomeOf(read: WebRead, landing: Landing, gone: AbortSignal): Promise<Warmed> {
    if (landing.kind === 'stored') {
      const { record, how } = landing;
      return this.#completed(read, record, how === 'revalidated' ? 'held' : 'warmed', gone);
    }
    if (landing.kind === 'failed') throw landing.error;
    if (landing.kind === 'alone') return outcomeOfAlone(read, landing);
    const { failure } = landing;
    return typeof failure === 'number'
      ? { kind: 'refused', status: failure }
      : { kind: 'failed', code: failure };
  }

  /** What others ask for is waited for, while that may be nobody's answer, too. @throws the reason of `gone` */
  #ask(read: WebRead, gone: AbortSignal): Promise<Landing> {
    return new Promise((landed, reject) => {
      gone.throwIfAborted();
      const renew = () => this.#questions.renew(read, this.#records.find(read), landed);
      const took = (landing: Landing, first: WebRead) => {
        if (isForNobody(read, landing, first)) landed(landing);
        else leave = read.mayRepeat() ? ask() : renew();
      };
      const ask = () => this.#questions.join(read, took) ?? renew();
      let leave = ask();
      gone.addEventListener('abort', () => {
        leave();
        reject(gone.reason);
      });
    });
  }

  /** The bytes of a `record` may still be missing, and come too late. */
  async #completed(
    read: WebRead,
    record: ReadableRecord,
    kind: 'held' | 'warmed',
    gone: AbortSignal,
  ): Promise<Warmed> {
    const { answer, content, sizeBytes } = record;
    const { status = 200 } = answer ?? {};
    if (!isSuccess(status)) return { kind: 'refused', status };
    const isHeld = holdsAll(record);
    if (!isHeld) await readThrough(content, gone);
    if (this.#records.find(read)?.content !== content)
      return { kind: 'uncached', reason: 'changed-meanwhile' };
    return { kind: isHeld ? kind : 'warmed', bytes: sizeBytes };
  }
}

/** Whether what another has asked for tells what nobody in particular gets. */
function isForNobody(read: WebRead, landing: Landing, first: WebRead): boolean {
  if (landing.kind === 'stored') return isSelected(read, landing.record, first);
  return !asksOtherwise(read, first);
}

/** Where no answer is told of, its body was longer than it had said, or found no room. */
function outcomeOfAlone(read: WebRead, { arrived, because }: AloneLanding): Warmed {
  if (!arrived) return { kind: 'uncached', reason: because === 'answer' ? 'too-large' : 'no-room' };
  const { status } = arrived.head;
  return isSuccess(status)
    ? { kind: 'uncached', reason: whyNotKept(read, arrived) }
    : { kind: 'refused', status };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
