import type { WholeReply } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import type { Generation } from '../../cache/generation.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { tagSlotsOf } from '../../cache/tag-slots.ts';
import { type ContentHead, checksumsOf, partOf, readContentHead, tellsWhole } from '../fill/content-head.ts';
import { refusedBy } from '../fill/fill-error.ts';
import type { ContentFactory } from './content-factory.ts';
import { type Learned, learnedOf } from './object-source.ts';
import type { Question } from './question.ts';
import { lookupFresh, lookupRecord, type RecordCache } from './record-cache.ts';
import {
  isOf,
  isRefusalOfObject,
  readableRecord,
  refusedRecord,
  tagsOf,
  uncacheableRecord,
} from './reply-record.ts';
import { withdrawsObject } from './store-failure.ts';

/** Makes records of what a store has answered, and keeps those that may be kept. */
export class StoreAnswers {
  readonly #records: RecordCache;
  readonly #contents: ContentFactory;
  readonly #clock: Clock;

  constructor(records: RecordCache, contents: ContentFactory, clock: Clock) {
    this.#records = records;
    this.#contents = contents;
    this.#clock = clock;
  }

  /** The cached content if it is the store's current one, otherwise a new one. */
  contentOf({ read, ...asked }: Question, head: ContentHead, identity: GenerationIdentity): Generation {
    const answer = { ...asked, tagSlots: tagSlotsOf(tagsOf(head)) };
    return this.#records.contentOf(read, identity, answer) ?? this.#contents.create(read, identity);
  }

  readable(question: Question, head: ContentHead, content: Generation): Learned {
    const { read, method, partNumber } = question;
    const receivedMs = this.#clock.nowMs();
    if (partNumber !== undefined) {
      const known = lookupFresh(this.#records, { ...read, partNumber: undefined }, receivedMs);
      content.parts.learn(partNumber, partOf(head), head.partCount);
      // an answer about a part knows less of the object than the cached record
      if (known?.kind === 'readable' && known.content === content) return learnedOf(known, head, true);
    }
    const checksums = checksumsOf(head, method, partNumber);
    const told = readableRecord(head, { ...question, receivedMs }, content, checksums);
    const record = this.#records.isRefusedSince(question, told) ? { ...told, isWithdrawn: true } : told;
    const storing = this.#records.store(question, record);
    if (storing === 'outdated') return this.#outdated(question, record, head, content);
    if (storing === 'unwanted') {
      // what was allowed to be kept is held still, but that is not the store's last word
      this.#records.withdraw(read, question);
      this.#contents.keepWhileRead(content);
    }
    return learnedOf(record, head, storing === 'stored');
  }

  /**
   * What HEAD omits is not remembered for a GET, which may still be told. A content that is kept, because another bucket
   * allows larger objects, stays, and so does any while an answer is about a part alone.
   */
  unkeepable(question: Question, head: ContentHead): Learned {
    const { read, method, partNumber } = question;
    const record = uncacheableRecord(head, { ...question, receivedMs: this.#clock.nowMs() });
    const known = lookupRecord(this.#records, read);
    const isKept = known?.kind === 'readable' && isOf(known, head);
    const mayReplace = !isKept && read.method === method && tellsWhole(head, partNumber);
    return learnedOf(record, head, mayReplace && this.#records.store(question, record) === 'stored');
  }

  /**
   * A refusal of a part may be of this part alone (docs/semantics.md 55), so it is not remembered. One that would be remembered of
   * the object makes what is held of that stale: the next reader asks.
   *
   * @throws RefusedByStoreError for what is not remembered
   */
  refusal(question: Question, reply: WholeReply): Learned {
    const receivedMs = this.#clock.nowMs();
    const asksForPart = question.partNumber !== undefined;
    const mayBeGone = asksForPart && isRefusalOfObject(reply);
    if (withdrawsObject(reply.status) && !(asksForPart && isOfPart(reply)))
      this.#records.withdraw(question.read, question, mayBeGone ? receivedMs : undefined);
    if (asksForPart || !isRefusalOfObject(reply)) throw refusedBy(reply);
    const record = refusedRecord(reply, { ...question, receivedMs });
    return learnedOf(record, readContentHead(reply), this.#records.store(question, record) === 'stored');
  }

  /** Who has asked gets an answer that came after that to a later question; it is kept where that has told of the same content. */
  #outdated({ read }: Question, record: ReadableRecord, head: ContentHead, content: Generation): Learned {
    const known = lookupRecord(this.#records, read);
    if (known?.kind === 'readable' && known.content === content) return learnedOf(known, head, true);
    this.#contents.keepWhileRead(content);
    return learnedOf(record, head, false);
  }
}

/** Whether the refusal of a part says nothing of the object: a store that knows no such part says so in several ways. */
function isOfPart({ status, body }: WholeReply): boolean {
  return status === 400 || body.includes('<Code>InvalidPart');
}
