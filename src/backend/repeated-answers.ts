import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnsweringConnection } from '../transport/expected-body.ts';

/** The fields by which stores number their answers. */
const idNames = new Set(['x-amz-request-id', 'x-store-request-id']);

/** Several times as many as there are on their way at a time. */
const REMEMBERED = 1_000;

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
 * constant, a cache in between), and none is taken for a repetition.
 */
export class RepeatedAnswers {
  readonly #seen = new LRUCache<string, SeenAnswer>({ max: REMEMBERED });
  #areNumbered = true;

  /** Whether this answer has come on `connection` before. */
  isRepeated(connection: AnsweringConnection, status: number, headers: readonly string[]): boolean {
    const id = this.#areNumbered ? idIn(headers) : undefined;
    if (id === undefined) return false;
    const head = hash('md5', `${status} ${headers.join('\n')}`, 'base64');
    const before = this.#seen.get(id);
    if (!before) {
      this.#seen.set(id, { connection: new WeakRef(connection), head });
      return false;
    }
    // one number alone says nothing yet
    if (before.head === head && before.connection.deref() === connection) return this.#seen.size > 1;
    this.#areNumbered = false;
    this.#seen.clear();
    return false;
  }
}

function idIn(headers: readonly string[]): string | undefined {
  const place = headers.findIndex((name, index) => index % 2 === 0 && idNames.has(name.toLowerCase()));
  return place < 0 ? undefined : headers[place + 1];
}
