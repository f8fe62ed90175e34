import type { AnsweringConnection } from '../transport/expected-body.ts';

/** The fields by which stores number their answers. */
const idNames = new Set(['x-amz-request-id', 'x-store-request-id']);

interface LastAnswer {
  readonly target: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly id: string;
}

/**
 * Finds answers of one origin that come a second time: such a one would be taken for that to the next request on its connection, and
 * each that follows for that of the next. Nothing but its number tells it from the right one, and what arrives before the next request
 * is sent undici notices itself. Some stores have one number for all their answers; it tells nothing there.
 */
export class RepeatedAnswers {
  readonly #last = new WeakMap<AnsweringConnection, LastAnswer>();
  #areNumbered = false;

  /**
   * Whether this is the answer before on `connection` once more: in the place of that to another question, or to one for the same
   * target. Whatever follows on the connection would be taken for something else.
   *
   * @param target what was asked for
   */
  repetitionOf(
    connection: AnsweringConnection,
    target: string,
    status: number,
    headers: readonly string[],
  ): 'other' | 'same' | undefined {
    const id = idIn(headers);
    const before = this.#last.get(connection);
    if (id === undefined) this.#last.delete(connection);
    else this.#last.set(connection, { target, status, headers, id });
    if (!before || id === undefined) return undefined;
    if (id !== before.id) this.#areNumbered = true;
    const isRepeated =
      this.#areNumbered &&
      status === before.status &&
      headers.length === before.headers.length &&
      headers.every((text, index) => text === before.headers[index]);
    if (!isRepeated) return undefined;
    return target === before.target ? 'same' : 'other';
  }
}

function idIn(headers: readonly string[]): string | undefined {
  const place = headers.findIndex((name, index) => index % 2 === 0 && idNames.has(name.toLowerCase()));
  return place < 0 ? undefined : headers[place + 1];
}
