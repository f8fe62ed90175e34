/** So many names and versions of one object are told apart while questions about it are under way. */
const NAMES_PER_OBJECT = 64;

/** The highest number that something has, by its name. */
class LatestByName<Name> {
  readonly #numbers = new Map<Name, number>();
  /** Counts for all names: they were too many. */
  #floor = 0;

  note(name: Name, number: number): void {
    if (this.#numbers.size >= NAMES_PER_OBJECT && !this.#numbers.has(name)) {
      this.#floor = Math.max(this.#floor, ...this.#numbers.values());
      this.#numbers.clear();
    }
    this.#numbers.set(name, Math.max(number, this.#numbers.get(name) ?? 0));
  }

  of(name: Name): number {
    return Math.max(this.#floor, this.certain(name));
  }

  /** What it has for certain: that of a name which was forgotten may be higher. */
  certain(name: Name): number {
    return this.#numbers.get(name) ?? 0;
  }
}

/** What came of questions about one object. */
interface ObjectAnswers {
  underWay: number;
  /** By the names of records. */
  readonly learned: LatestByName<string>;
  /** By version; undefined for the object, whichever version it has. */
  readonly refused: LatestByName<string | undefined>;
}

/**
 * Which of several answers about an object is the store's last word: that to the question which was asked last, in whatever order they
 * come. Known of an object while questions about it are under way; afterwards no older answer can come.
 */
export class AnswerOrder {
  readonly #objects = new Map<string, ObjectAnswers>();
  #asked = 0;

  /** A question about an object is asked now. Gives its number, which is higher than those before. @param text `ObjectKey.text` */
  begin(text: string): number {
    const answers = this.#objects.get(text) ?? {
      underWay: 0,
      learned: new LatestByName(),
      refused: new LatestByName(),
    };
    answers.underWay++;
    this.#objects.set(text, answers);
    return ++this.#asked;
  }

  /** It is over. */
  end(text: string): void {
    const answers = this.#objects.get(text);
    if (answers && --answers.underWay === 0) this.#objects.delete(text);
  }

  /** The answer to question `number` is what is known under `name`. */
  learned(text: string, name: string, number: number): void {
    this.#objects.get(text)?.learned.note(name, number);
  }

  /** Whether an answer to a later question than `number` may be known under one of `names`. */
  isOutdated(text: string, names: readonly string[], number: number): boolean {
    const learned = this.#objects.get(text)?.learned;
    return learned !== undefined && names.some(name => learned.of(name) > number);
  }

  /** Whether one is for certain. @param number undefined: later than all that was asked */
  isLearnedSince(text: string, name: string, number = Infinity): boolean {
    return (this.#objects.get(text)?.learned.certain(name) ?? 0) > number;
  }

  /** The store has refused an object, or one version of it. @param number undefined: later than all that was asked */
  refused(text: string, versionId: string | undefined, number = ++this.#asked): void {
    this.#objects.get(text)?.refused.note(versionId, number);
  }

  /** Whether the store may have refused the object, or one of these versions, in answer to a later question than `number`. */
  isRefusedSince(text: string, versionIds: readonly (string | undefined)[], number: number): boolean {
    const refused = this.#objects.get(text)?.refused;
    return refused !== undefined && [undefined, ...versionIds].some(id => refused.of(id) > number);
  }
}
