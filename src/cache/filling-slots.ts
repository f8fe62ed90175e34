import type { Clock } from '../base/clock.ts';

/** The fills of one group. */
interface FillGroup {
  /** Since when each of its slots is being filled, the oldest first. */
  readonly sinceMs: Map<number, number>;
  /** How many of these slots lie in each page. */
  readonly pages: Map<number, number>;
  /** When it last asked for a slot. */
  askedMs: number;
}

/** A group that has not asked for a slot for this long, and fills none, no longer counts. */
const ACTIVE_MS = 10_000;

/** A slot may be taken back after it has been filled for this long; a fast store fills it in less. */
const TAKE_BACK_AFTER_MS = 500;

/**
 * The slots that are being filled, by groups, whose numbers mean nothing here. The fills of one store can be slow
 * together, and would keep the whole memory from the others for as long as their blocks take. So the groups share it:
 *
 * - One group alone may use all of it, any other at least one page.
 * - A group may use more pages as long as it has fewer than nobody is filling in (dynamic thresholds, Choudhury and
 *   Hahne 1998), or less than its fair share: equal shares for all groups that fill, and one for a further group.
 * - Where memory is short, slots of a group beyond its fair share are taken back. A group that has nothing gets a slot
 *   in any case, in turns if there are more groups than pages.
 *
 * Pages are counted, not bytes: in a page with one small slot that is being filled there is no room for a block of a page.
 */
export class FillingSlots {
  readonly #pageCount: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #pageOf: (slot: number) => number;
  /** By slot. */
  readonly #groupOf = new Map<number, number>();
  readonly #groups = new Map<number, FillGroup>();

  constructor(pages: number, pageOf: (slot: number) => number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#pageCount = pages;
    this.#pageOf = pageOf;
    this.#clock = clock;
  }

  has(slot: number): boolean {
    return this.#groupOf.has(slot);
  }

  /** Whether another group than `group` is filling `slot`. */
  isOfAnother(slot: number, group: number): boolean {
    return this.has(slot) && this.#groupOf.get(slot) !== group;
  }

  /** Whether `group` may fill slots in one more page. */
  hasShare(group: number): boolean {
    const own = this.pageCountOf(group);
    const { active, pages } = this.#others(group);
    return (
      own === 0 ||
      active === 0 ||
      own < this.#fairShare(active + 1) ||
      own + 1 < this.#pageCount - own - pages
    );
  }

  /** The same for a group that asks for a slot: it counts from now on. */
  asks(group: number): boolean {
    this.#groupFor(group).askedMs = this.#clock.monotonicMs();
    return this.hasShare(group);
  }

  /** In how many pages `group` is filling slots. */
  pageCountOf(group: number): number {
    return this.#groups.get(group)?.pages.size ?? 0;
  }

  /** The pages in which `group` is filling slots. */
  pagesOf(group: number): MapIterator<number> {
    return this.#groupFor(group).pages.keys();
  }

  begin(slot: number, group: number): void {
    const { sinceMs, pages } = this.#groupFor(group);
    this.#groupOf.set(slot, group);
    sinceMs.set(slot, this.#clock.monotonicMs());
    const page = this.#pageOf(slot);
    pages.set(page, (pages.get(page) ?? 0) + 1);
  }

  /** Has no effect on a slot that is not being filled. */
  end(slot: number): void {
    const number = this.#groupOf.get(slot);
    if (number === undefined) return;
    this.#groupOf.delete(slot);
    const { sinceMs, pages } = this.#groupFor(number);
    sinceMs.delete(slot);
    const page = this.#pageOf(slot);
    const left = (pages.get(page) ?? 0) - 1;
    if (left > 0) pages.set(page, left);
    else pages.delete(page);
  }

  /**
   * The slot to take back for `group`: the one that the group with the most pages has been filling for longest. Undefined
   * when no group has more than its fair share, unless `group` has nothing.
   */
  toTakeBack(group: number): number | undefined {
    const own = this.pageCountOf(group);
    const fairPages = this.#fairShare(this.#others(group).active + 1);
    if (own >= fairPages) return undefined;
    const beforeMs = this.#clock.monotonicMs() - TAKE_BACK_AFTER_MS;
    let most = own === 0 ? 0 : fairPages;
    let found: number | undefined;
    for (const { sinceMs, pages } of this.#groups.values()) {
      const [oldest] = sinceMs;
      if (!oldest || oldest[1] > beforeMs || pages.size <= most) continue;
      most = pages.size;
      found = oldest[0];
    }
    return found;
  }

  /** Equal shares for `groups` of them and one more. */
  #fairShare(groups: number): number {
    return Math.max(1, Math.floor(this.#pageCount / (groups + 1)));
  }

  /** How many other groups count, and in how many pages they are filling slots. */
  #others(group: number): { readonly active: number; readonly pages: number } {
    const sinceMs = this.#clock.monotonicMs() - ACTIVE_MS;
    let [active, filledPages] = [0, 0];
    for (const [number, { pages, askedMs }] of this.#groups) {
      if (number === group) continue;
      if (pages.size > 0 || askedMs > sinceMs) active++;
      filledPages += pages.size;
    }
    return { active, pages: filledPages };
  }

  #groupFor(number: number): FillGroup {
    const known = this.#groups.get(number);
    if (known) return known;
    const group: FillGroup = {
      sinceMs: new Map(),
      pages: new Map(),
      askedMs: Number.NEGATIVE_INFINITY,
    };
    this.#groups.set(number, group);
    return group;
  }
}
