import type { FillGaps } from './fill-gaps.ts';
import type { KeptShare } from './kept-share.ts';
import type { SlotTable } from './slot-table.ts';

/** How many victims one allocation evicts, at most, before blocks are moved that lie between them. */
const VICTIMS = 16;

/** How many victims are evicted at most for the new place of one block. */
const VICTIMS_FOR_MOVE = 8;

/** How many runs one search of pages looks at, whatever the size of the memory; it ends with a page. */
const LOOKS = 128;

/** What it costs to have a run out of the way; the cheaper neighbour goes first. */
const cost = { free: 0, moved: 1, evicted: 2, impossible: 3 } as const;

/** Neighbouring runs that can be cleared. */
interface Window {
  readonly from: number;
  readonly to: number;
  /** Their lengths, each times its cost. */
  readonly loss: number;
}

/**
 * Finds room for blocks: a hole, or as much as that takes of the next victims, wherever they are. If these leave no hole that
 * is long enough, one of them is widened: blocks beside it are moved to other holes, so that none is lost before its turn. Where fills
 * are in the way in every page, nothing is evicted.
 */
export class RoomMaker {
  readonly #slots: SlotTable;
  readonly #kept: Pick<KeptShare, 'current'>;
  readonly #gaps: FillGaps;
  /** Where the next search of pages begins. */
  #nextPage = 0;

  constructor(slots: SlotTable, kept: Pick<KeptShare, 'current'>, gaps: FillGaps) {
    this.#slots = slots;
    this.#kept = kept;
    this.#gaps = gaps;
  }

  /** A run of `length` granules that is no hole any more. */
  take(length: number): number | undefined {
    this.#slots.reclaim();
    const hole = this.#slots.holes.take(length);
    if (hole !== undefined) return hole;
    if (this.#slots.openPage()) return this.#slots.holes.take(length);
    if (!this.#gaps.hasRoomAnywhere(length)) return undefined;
    return this.#byVictims(length) ?? this.#bySearch(length, true) ?? this.#bySearch(length, false);
  }

  /** The same in `page` alone: what is in the way goes to other pages, as far as it stays. */
  takeIn(page: number, length: number): number | undefined {
    this.#slots.reclaim();
    return this.#slots.holes.takeIn(page, length) ?? this.#inPage(page, length, true).hole;
  }

  #byVictims(length: number): number | undefined {
    const { queue, runs, holes } = this.#slots;
    const left: number[] = [];
    let freed = 0;
    for (let turn = 0; turn < VICTIMS && freed < length; turn++) {
      const victim = queue.peek(this.#kept.current(), this.#gaps.isAny);
      if (victim === undefined) break;
      const [start, size] = [this.#holeStart(victim), runs.lengthOf(victim)];
      if (!this.#slots.evict(victim)) continue;
      const hole = holes.take(length);
      if (hole !== undefined) return hole;
      left.push(start);
      freed += size;
    }
    return this.#widened(left, length);
  }

  /** The cheapest to widen of the holes that begin at `starts`. */
  #widened(starts: readonly number[], length: number): number | undefined {
    const windows = starts.flatMap(start => this.#windowAround(start, length) ?? []);
    for (const { from, to } of windows.sort((one, other) => one.loss - other.loss)) {
      // what was done for another one may have changed this one
      if (this.#slots.runs.beginningAt(from) === undefined) continue;
      const hole = this.#cleared(from, to, length, true);
      if (hole !== undefined) return hole;
    }
    return undefined;
  }

  /** Where the hole begins that a run leaves. */
  #holeStart(run: number): number {
    const { runs, holes } = this.#slots;
    const before = runs.before(runs.startOf(run));
    return runs.startOf(before !== undefined && holes.isHole(before) ? before : run);
  }

  #windowAround(start: number, length: number): Window | undefined {
    const { runs } = this.#slots;
    const hole = runs.beginningAt(start);
    if (hole === undefined) return undefined;
    let [from, to, loss] = [start, runs.endOf(hole), 0];
    while (to - from < length) {
      const [before, after] = [runs.before(from), runs.after(to)];
      const [costBefore, costAfter] = [this.#costOf(before, length), this.#costOf(after, length)];
      const isBefore = costBefore < costAfter;
      const next = isBefore ? before : after;
      if (next === undefined || Math.min(costBefore, costAfter) === cost.impossible) return undefined;
      loss += runs.lengthOf(next) * Math.min(costBefore, costAfter);
      if (isBefore) from = runs.startOf(next);
      else to = runs.endOf(next);
    }
    return { from, to, loss };
  }

  /**
   * Room in the first page where as much can be cleared. The next search begins where this one ends.
   *
   * @param isSparing whether blocks stay that were read again, and those that are still to be read
   */
  #bySearch(length: number, isSparing: boolean): number | undefined {
    const { pages } = this.#slots.runs;
    let looks = 0;
    for (let left = pages; left > 0 && looks < LOOKS; left--) {
      const searched = this.#inPage(this.#nextPage, length, isSparing);
      this.#nextPage = (this.#nextPage + 1) % pages;
      if (searched.hole !== undefined) return searched.hole;
      looks += searched.looks;
    }
    return undefined;
  }

  /** Room in `page`, and how many runs were looked at for it. */
  #inPage(page: number, length: number, isSparing: boolean) {
    if (!this.#gaps.hasRoom(page, length)) return { hole: undefined, looks: 1 };
    const { runs } = this.#slots;
    const first = page * runs.granulesPerPage;
    let [from, to, looks] = [first, first, 0];
    for (const run of runs.inPage(first)) {
      looks++;
      to = runs.endOf(run);
      if (this.#costOf(run, length, isSparing) === cost.impossible) from = to;
      // there is enough, or not enough left
      if (to - from >= length || first + runs.granulesPerPage - from < length) break;
    }
    const hole = to - from < length ? undefined : this.#cleared(from, to, length, isSparing);
    return { hole, looks };
  }

  #costOf(run: number | undefined, length: number, isSparing = true): number {
    if (run === undefined) return cost.impossible;
    const { holes, queue, runs } = this.#slots;
    if (holes.isHole(run)) return cost.free;
    if (this.#slots.isHeld(run)) return cost.impossible;
    if (this.#slots.isFree(run)) return cost.free;
    if (!queue.has(run)) return cost.impossible;
    if (runs.lengthOf(run) <= length) return cost.moved;
    return this.#isSpared(run, isSparing) ? cost.impossible : cost.evicted;
  }

  /** Whether a block may not be evicted before its turn; one that was read again gets its second chance first. */
  #isSpared(run: number, isSparing: boolean): boolean {
    const { queue } = this.#slots;
    queue.promote(run);
    if (isSparing) return queue.isMain(run) || queue.spares(run);
    return this.#gaps.isAny && queue.isKept(run, this.#kept.current());
  }

  /** `length` granules of what is between `from` and `to`, unless there is no room for it elsewhere. */
  #cleared(from: number, to: number, length: number, isSparing: boolean): number | undefined {
    const { runs, holes } = this.#slots;
    holes.setAside(from, to);
    for (;;) {
      const first = runs.beginningAt(from);
      const at = first !== undefined && holes.isHole(first) ? runs.endOf(first) : from;
      const next = at - from < length ? runs.beginningAt(at) : undefined;
      if (next === undefined || !this.#remove(next, isSparing)) break;
    }
    holes.giveBack();
    return holes.take(length);
  }

  /** Moves what is in a run, or evicts it where there is no other place; false when that is not possible. */
  #remove(run: number, isSparing: boolean): boolean {
    const { runs, holes, queue } = this.#slots;
    if (this.#slots.isFree(run)) return this.#slots.reclaimOne(run);
    for (let left = VICTIMS_FOR_MOVE; left > 0; left--) {
      const place = holes.take(runs.lengthOf(run));
      if (place !== undefined) return this.#slots.move(run, place);
      const victim = queue.peek(this.#kept.current(), this.#gaps.isAny);
      if (victim === undefined || !this.#slots.evict(victim)) break;
      if (victim === run) return true;
    }
    return !this.#isSpared(run, isSparing) && this.#slots.evict(run);
  }
}
