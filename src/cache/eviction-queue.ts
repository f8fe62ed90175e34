import { GhostList } from './ghost-list.ts';
import { type SlotLinks, SlotQueue } from './slot-queue.ts';
import type { UnreadShare } from './unread-share.ts';

/** The state of slots that eviction decides on. */
interface SlotState {
  /** Whether the slot was read again since the last call; clears the mark. */
  takeVisited(slot: number): boolean;
  /** Whether the slot is pinned by a reader at the moment. */
  isHeld(slot: number): boolean;
  /** Whether the slot has not been read since it was filled. */
  isUnread(slot: number): boolean;
  /** Identifies the content; the same each time the content is filled. */
  contentHash(slot: number): number;
}

/** Share of the slots for the small queue: contents read once pass through it without displacing the rest. */
const smallShare = 0.1;

/**
 * How many slots of a queue one search looks at. Slots that cannot be evicted go to the end of the queue, so the next
 * search goes on behind them, and its cost does not depend on the size of the memory.
 */
const LOOKS = 64;

/**
 * Chooses the slot of one size class to evict. S3-FIFO: a small queue in front of the main queue, and a ghost list of
 * what was evicted from the small queue. A scan larger than the cache passes through the small queue and does not evict
 * contents that are read repeatedly. Slots that nobody has read yet wait in a queue of their own for their first read.
 */
export class EvictionQueue {
  readonly #unread: SlotQueue;
  readonly #small: SlotQueue;
  readonly #main: SlotQueue;
  readonly #inMain: Uint8Array;
  readonly #ghosts: GhostList;
  readonly #remembered: number;
  readonly #state: SlotState;
  readonly #unreadShare: UnreadShare;
  readonly #slotBytes: number;

  /**
   * @param inMain one byte per slot, shared by the queues of all size classes
   * @param unreadShare shared by them too
   * @param slotBytes size of a slot of this class
   * @param remembered minimum length of the ghost list. Other classes may have taken all slots of this one; contents
   * that are read often must still be recognised when they come back.
   */
  constructor(
    links: SlotLinks,
    inMain: Uint8Array,
    state: SlotState,
    unreadShare: UnreadShare,
    slotBytes: number,
    remembered = 0,
  ) {
    this.#unreadShare = unreadShare;
    this.#slotBytes = slotBytes;
    this.#remembered = remembered;
    this.#ghosts = new GhostList(remembered);
    this.#unread = new SlotQueue(links);
    this.#small = new SlotQueue(links);
    this.#main = new SlotQueue(links);
    this.#inMain = inMain;
    this.#state = state;
  }

  get length(): number {
    return this.#unread.length + this.#small.length + this.#main.length;
  }

  /** Adds a slot whose fill is complete. */
  insert(slot: number): void {
    this.#ghosts.resize(Math.max(this.length + 1, this.#remembered));
    if (this.#ghosts.take(this.#state.contentHash(slot))) this.#pushMain(slot);
    else this.#pushNew(slot);
  }

  remove(slot: number): void {
    if (this.#inMain[slot] === 1) this.#main.remove(slot);
    else if (this.#state.isUnread(slot)) this.#removeUnread(slot);
    else this.#small.remove(slot);
  }

  /** Must be called when `slot` is read for the first time; `SlotState.isUnread` is false from now on. */
  firstRead(slot: number): void {
    if (this.#inMain[slot] === 1) return;
    this.#removeUnread(slot);
    this.#small.push(slot);
  }

  /**
   * Makes `slot` the next victim: it was prefetched and its reader has stalled. `SlotState.isUnread` is false from now
   * on.
   */
  demote(slot: number): void {
    if (this.#inMain[slot] === 1) return;
    this.#removeUnread(slot);
    this.#small.unshift(slot);
  }

  /** Moves `slot` to the main queue if it was read again: its second chance, before its turn. */
  promote(slot: number): void {
    if (!this.#state.takeVisited(slot)) return;
    this.remove(slot);
    this.#pushMain(slot);
  }

  /**
   * The next victim, after slots that were read again got their second chance. It stays in the queue. Slots that are
   * still to be read come last. Undefined also when nothing was found among the slots that one search looks at.
   */
  peek(): number | undefined {
    if (!this.#unreadShare.isExceeded || this.#unread.length === 0)
      return this.#readVictim(2 * this.length) ?? this.#unreadVictim();
    // beyond their share it is the unread slots that go, not those that were read again
    return this.#readVictim(0) ?? this.#unreadVictim() ?? this.#readVictim(2 * this.length);
  }

  /** Whether `slot` is still to be read, and should be evicted only if no other class has anything to give up. */
  spares(slot: number): boolean {
    return !this.#unreadShare.isExceeded && this.#inMain[slot] === 0 && this.#state.isUnread(slot);
  }

  #unreadVictim(): number | undefined {
    for (let looks = Math.min(this.#unread.length, LOOKS); looks > 0; looks--) {
      const slot = this.#unread.first;
      if (slot !== undefined && this.#mayEvict(slot)) return slot;
    }
    return undefined;
  }

  /** If every slot of the queue whose turn it is is pinned, the victim comes from the other queue. */
  #readVictim(mainSlots: number): number | undefined {
    let smallLooks = Math.min(this.#small.length, LOOKS);
    let mainLooks = Math.min(mainSlots, LOOKS);
    while (smallLooks + mainLooks > 0) {
      const isSmall = smallLooks > 0 && (mainLooks === 0 || this.#isSmallFull());
      const slot = isSmall ? this.#small.first : this.#main.first;
      if (isSmall) smallLooks--;
      else mainLooks = slot === undefined ? 0 : mainLooks - 1;
      if (slot !== undefined && this.#mayEvict(slot)) return slot;
    }
    return undefined;
  }

  /**
   * Whether `slot` can be evicted. A pinned slot goes back to the end of its queue; one that was read again moves to
   * the main queue.
   */
  #mayEvict(slot: number): boolean {
    const isHeld = this.#state.isHeld(slot);
    if (!isHeld && !this.#state.takeVisited(slot)) return true;
    const isNew = this.#inMain[slot] === 0;
    this.remove(slot);
    if (isHeld && isNew) this.#pushNew(slot);
    else this.#pushMain(slot);
    return false;
  }

  /** Removes `slot`, found by `peek`, and adds it to the ghost list if it was not in the main queue. */
  evict(slot: number): void {
    if (this.#inMain[slot] === 0) this.#ghosts.add(this.#state.contentHash(slot));
    this.remove(slot);
  }

  #isSmallFull(): boolean {
    if (this.#main.length === 0 || this.#small.length === 0) return this.#small.length > 0;
    return this.#small.length > this.length * smallShare;
  }

  #pushNew(slot: number): void {
    this.#inMain[slot] = 0;
    if (!this.#state.isUnread(slot)) {
      this.#small.push(slot);
      return;
    }
    this.#unread.push(slot);
    this.#unreadShare.add(this.#slotBytes);
  }

  #removeUnread(slot: number): void {
    this.#unread.remove(slot);
    this.#unreadShare.add(-this.#slotBytes);
  }

  #pushMain(slot: number): void {
    this.#inMain[slot] = 1;
    this.#main.push(slot);
  }
}
