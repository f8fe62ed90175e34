import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { eachHeaderLine } from '../http/header-lines.ts';
import type { AnsweringConnection } from '../transport/expected-body.ts';

/** The fields by which stores number their answers. */
const idNames = new Set(['x-amz-request-id', 'x-store-request-id']);

/** Longer ones are no numbers, and whoever writes them may choose how long they are. */
const LONGEST_ID = 128;

/** What each sending of an answer may have of its own. */
const fieldsOfSending = new Set(['age', 'connection', 'date', 'keep-alive']);

/** So many answers of a connection are remembered: what comes later than that is not known to be a repetition. */
const REMEMBERED = 128;

/** Of all connections, several times as many as there are on their way at a time. */
const SEEN = 1_000;

/** So many answers are what they seem after it was found that numbers are not of one answer each. */
const DISTRUSTED_ANSWERS = 1_000;

interface SeenAnswer {
  /** Held weakly: it may be closed for long. */
  readonly connection: WeakRef<AnsweringConnection>;
  /** A digest of it. */
  readonly head: string;
}

/**
 * Finds answers of one store that come a second time: such a one would be taken for that to another request on its connection, and each
 * that follows for that to the next. Nothing but its number tells it from the right one, and what arrives before the next request
 * is sent undici notices itself. Where a number is seen with two heads, or on two connections, answers are not numbered one by one (a
 * constant, a coarse clock, a cache in between), and for a while none is taken for a repetition. A number of a connection that is closed may come
 * again with another head: then the store has begun to count anew.
 */
export class RepeatedAnswers {
  #heads = new WeakMap<AnsweringConnection, Map<string, string>>();
  readonly #seen = new LRUCache<string, SeenAnswer>({ max: SEEN });
  #distrusted = 0;

  /** Whether this answer seems to have come on `connection` before: rarely it is another one that looks the same. */
  isRepeated(connection: AnsweringConnection, status: number, headers: readonly string[]): boolean {
    if (this.#distrusted > 0) {
      this.#distrusted--;
      return false;
    }
    const id = idIn(headers);
    if (id === undefined) return false;
    const head = digestOf(status, headers);
    const heads = this.#headsOn(connection);
    const before = heads.get(id);
    // one number alone says nothing yet
    if (before === head) return this.#seen.size > 1;
    if (before !== undefined || this.#isElsewhere(id, connection, head)) {
      this.#distrust();
      return false;
    }
    remember(heads, id, head);
    this.#seen.set(id, { connection: new WeakRef(connection), head });
    return false;
  }

  #headsOn(connection: AnsweringConnection): Map<string, string> {
    const known = this.#heads.get(connection);
    if (known) return known;
    const heads = new Map<string, string>();
    this.#heads.set(connection, heads);
    return heads;
  }

  #isElsewhere(id: string, connection: AnsweringConnection, head: string): boolean {
    const seen = this.#seen.get(id);
    const other = seen?.connection.deref();
    if (!seen || other === connection) return false;
    return seen.head === head || (other !== undefined && !other.destroyed);
  }

  #distrust(): void {
    this.#distrusted = DISTRUSTED_ANSWERS;
    this.#seen.clear();
    this.#heads = new WeakMap();
  }
}

function remember(heads: Map<string, string>, id: string, head: string): void {
  heads.set(id, head);
  if (heads.size <= REMEMBERED) return;
  const [oldest = id] = heads.keys();
  heads.delete(oldest);
}

function idIn(headers: readonly string[]): string | undefined {
  const place = headers.findIndex((name, index) => index % 2 === 0 && idNames.has(name.toLowerCase()));
  const id = place < 0 ? undefined : headers[place + 1];
  return id !== undefined && id.length <= LONGEST_ID ? id : undefined;
}

function digestOf(status: number, headers: readonly string[]): string {
  let text = `${status}`;
  eachHeaderLine(headers, (name, value) => {
    if (!fieldsOfSending.has(name.toLowerCase())) text += `\n${name}: ${value}`;
  });
  return hash('md5', text, 'base64');
}
