import { LanguageChoice } from '../../http/accept-language.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { HeaderChanges } from './answer-rules.ts';

/** What a rule changes of header fields on the way to the store or origin. */
export type RequestChanges = Pick<HeaderChanges, 'set' | 'remove'>;

const ACCEPT_LANGUAGE = 'accept-language';

/**
 * What a rule gives is the same for all clients, so that answers need not be told apart by it. Of the languages that clients
 * accept the origin is told those that its site has: clients that tell it the same are answered alike.
 */
export class RequestRules {
  readonly #given: readonly HeaderField[];
  readonly #changed: ReadonlySet<string>;
  readonly #languages: LanguageChoice | undefined;

  /** @param languages of the site; none: clients' preferences stay as they are */
  constructor({ set, remove }: RequestChanges, languages: readonly string[] = []) {
    this.#given = Object.entries(set).map(([name, value]) => ({ name, value, store: false }));
    this.#changed = new Set([...Object.keys(set), ...remove]);
    const isNormalised = languages.length > 0 && !this.#changed.has(ACCEPT_LANGUAGE);
    this.#languages = isNormalised ? new LanguageChoice(languages) : undefined;
  }

  /** Whether the origin gets nothing of what clients send in the field. @param name in lower case */
  changes(name: string): boolean {
    return this.#changed.has(name);
  }

  /** The same again for fields that it has given. */
  applied(fields: readonly HeaderField[]): HeaderField[] {
    const kept = fields.filter(({ name, store }) => store || !this.#changed.has(name));
    return [...(this.#languages ? withLanguages(kept, this.#languages) : kept), ...this.#given];
  }
}

/** Where the client accepts none of them, the origin decides as for one that says nothing. */
function withLanguages(fields: readonly HeaderField[], languages: LanguageChoice): readonly HeaderField[] {
  const lines = fields.filter(({ name }) => name === ACCEPT_LANGUAGE);
  if (lines.length === 0) return fields;
  const value = languages.of(lines.map(line => line.value).join(', '));
  const others = fields.filter(({ name }) => name !== ACCEPT_LANGUAGE);
  return value === undefined ? others : [...others, { name: ACCEPT_LANGUAGE, value, store: false }];
}
