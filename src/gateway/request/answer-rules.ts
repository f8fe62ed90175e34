import { isInNotModified } from '../../http/not-modified-fields.ts';
import type { CrossOrigin } from './cross-origin.ts';

/** What a rule changes of header fields. Names are in lower case. */
export interface HeaderChanges {
  /** In place of all fields of the name. */
  readonly set: Readonly<Record<string, string>>;
  /** Beside those that there are. */
  readonly add: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** What rules change of all answers to a key: one object for each outcome, so that prepared headers are kept by it. */
export class AnswerRules {
  readonly crossOrigin: CrossOrigin | undefined;
  readonly #given: readonly string[];
  readonly #givenToNotModified: readonly string[];
  readonly #givenToOthers: readonly string[];
  readonly #dropped: ReadonlySet<string>;

  constructor(changes: HeaderChanges | undefined, crossOrigin: CrossOrigin | undefined) {
    const { set = {}, add = {}, remove = [] } = changes ?? {};
    const given = [...Object.entries(set), ...Object.entries(add)];
    this.#given = given.flat();
    this.#givenToNotModified = given.filter(([name]) => isInNotModified(name)).flat();
    this.#givenToOthers = given.filter(([name]) => !statesFreshness(name)).flat();
    this.#dropped = new Set([...remove.flatMap(inBothDialects), ...Object.keys(set)]);
    this.crossOrigin = crossOrigin;
  }

  /**
   * `raw` (names and values alternating) as the rules have it. For how long an error, a redirect, a listing or the answer to a
   * write is fresh is not for rules about contents to say.
   *
   * @param isRead whether contents are what was asked for
   */
  applied(raw: readonly string[], status: number, isRead = true): string[] {
    const isOfContent = isRead && statusesOfContents.has(status);
    const changed = [...(isOfContent ? this.#givenToContents(status) : this.#givenToOthers)];
    if (this.crossOrigin?.varies && !variesByOrigin(raw)) changed.push('vary', 'Origin');
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      const isKept = !isOfContent && statesFreshness(name.toLowerCase());
      if (isKept || !this.#drops(name.toLowerCase())) changed.push(name, raw[index + 1] ?? '');
    }
    return changed;
  }

  #givenToContents(status: number): readonly string[] {
    return status === 304 ? this.#givenToNotModified : this.#given;
  }

  /** Where the gateway answers for CORS, what the store says of it does not count. */
  #drops(name: string): boolean {
    return this.#dropped.has(name) || (this.crossOrigin !== undefined && name.startsWith('access-control-'));
  }
}

const statusesOfContents: ReadonlySet<number> = new Set([200, 206, 304]);

/** Fields that tell caches for how long an answer is fresh (RFC 9111 §5, RFC 9213). */
function statesFreshness(name: string): boolean {
  return name.endsWith('cache-control') || ['expires', 'pragma', 'surrogate-control'].includes(name);
}

/** Clients get a store field in their own dialect. */
function inBothDialects(name: string): readonly string[] {
  const bare = /^x-(?:amz|store)-(.*)$/.exec(name)?.[1];
  return bare === undefined ? [name] : [`x-amz-${bare}`, `x-store-${bare}`];
}

function variesByOrigin(raw: readonly string[]): boolean {
  return raw.some(
    (name, index) =>
      index % 2 === 0 &&
      name.toLowerCase() === 'vary' &&
      /(?:^|,)\s*(?:origin|\*)\s*(?:,|$)/i.test(raw[index + 1] ?? ''),
  );
}
