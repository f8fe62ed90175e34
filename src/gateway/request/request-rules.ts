import type { HeaderField } from '../../s3/dialect.ts';
import type { HeaderChanges } from './answer-rules.ts';

/** What a rule changes of header fields on the way to the store or origin. */
export type RequestChanges = Pick<HeaderChanges, 'set' | 'remove'>;

/** The same for all clients, so that answers need not be told apart by it. */
export class RequestRules {
  readonly #given: readonly HeaderField[];
  readonly #changed: ReadonlySet<string>;

  constructor({ set, remove }: RequestChanges) {
    this.#given = Object.entries(set).map(([name, value]) => ({ name, value, store: false }));
    this.#changed = new Set([...Object.keys(set), ...remove]);
  }

  /** Whether the origin gets nothing of what clients send in the field. @param name in lower case */
  changes(name: string): boolean {
    return this.#changed.has(name);
  }

  applied(fields: readonly HeaderField[]): HeaderField[] {
    return [...fields.filter(({ name, store }) => store || !this.#changed.has(name)), ...this.#given];
  }
}
