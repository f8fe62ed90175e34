/** Clients whose questions wait. Beyond that each turn makes room for one other, in the place of the client that has had it. */
const CLIENTS_LIMIT = 256;

/** What one client may have waiting, and what all may have together, about: with many clients each may have less. */
const CLIENT_LIMIT = 64;
const TOTAL_LIMIT = 4_096;

interface Waiting {
  readonly client: string;
  readonly name: string;
}

/** What waits for its turn: clients take turns, and what one client wants comes in the order in which it was asked for. */
export class FairLine<Question extends Waiting> {
  /** By client, in the order of their turns; by name. */
  readonly #clients = new Map<string, Map<string, Question>>();
  #size = 0;
  /** Who has had the last turn, unless it has made room since. */
  #served: string | undefined;

  get size(): number {
    return this.#size;
  }

  /** Without effect where `question` waits already for this client, or where there is no room. */
  add(question: Question): void {
    const { client, name } = question;
    const own = this.#clients.get(client) ?? new Map<string, Question>();
    if (own.has(name) || own.size >= Math.min(CLIENT_LIMIT, TOTAL_LIMIT / this.#clients.size)) return;
    if (own.size === 0 && this.#clients.size >= CLIENTS_LIMIT && !this.#makesRoom()) return;
    own.set(name, question);
    this.#clients.set(client, own);
    this.#size++;
  }

  /** Takes out the one whose turn it is; its client is the last from now on. */
  take(): Question | undefined {
    for (const [client, own] of this.#clients) {
      this.#clients.delete(client);
      for (const [name, question] of own) {
        own.delete(name);
        this.#size--;
        if (own.size > 0) this.#clients.set(client, own);
        this.#served = client;
        return question;
      }
    }
    return undefined;
  }

  /** Forgets what the client wants besides that has had the last turn: whoever comes meets others that have had none yet. */
  #makesRoom(): boolean {
    const served = this.#served;
    const own = served === undefined ? undefined : this.#clients.get(served);
    if (served === undefined || !own) return false;
    this.#clients.delete(served);
    this.#size -= own.size;
    this.#served = undefined;
    return true;
  }
}
