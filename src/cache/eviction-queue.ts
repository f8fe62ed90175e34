import { GhostList } from './ghost-list.ts';
import { type SlotLinks, SlotQueue } from './slot-queue.ts';

/** What the eviction asks about a slot. */
export interface SlotState {
  /** Whether a reader came back to the slot since the last question. */
  takeVisited(slot: number): boolean;
  /** Whether a reader is reading it at this moment. */
  isHeld(slot: number): boolean;
  /** Whether nobody has read the slot since it was filled. */
  isUnread(slot: number): boolean;
  /** Names the content, the same each time it is filled. */
  contentHash(slot: number): number;
}

/** One part in ten of the slots is a trial: what is read once goes through it and leaves the rest alone. */
const smallShare = 0.1;

/** What is fetched ahead of its reader is on trial only once it has been read, up to this part of the slots. */
const UNREAD_SHARE = 0.5;

/**
 * Which slot of one size class to give up: a small trial queue in front of a main one, with a memory of what left
 * the trial (S3-FIFO). A scan through more than fits passes through the trial and evicts nothing that is read again.
 */
export class EvictionQueue {
  readonly #small: SlotQueue;
  readonly #main: SlotQueue;
  readonly #inMain: Uint8Array;
  readonly #ghosts: GhostList;
  readonly #remembered: number;
  readonly #state: SlotState;
  /** Slots of the trial that nobody has read yet. */
  #unread = 0;

  /**
   * @param inMain one byte per slot, shared by the queues of all classes.
   * @param remembered contents that have left the trial and are remembered, at the least, however few slots there are at
   * the moment: other classes may have taken all of them, and what is read often has to be known again when it comes back.
   */
  constructor(links: SlotLinks, inMain: Uint8Array, state: SlotState, remembered = 0) {
    this.#remembered = remembered;
    this.#ghosts = new GhostList(remembered);
    this.#small = new SlotQueue(links);
    this.#main = new SlotQueue(links);
    this.#inMain = inMain;
    this.#state = state;
  }

  get length(): number {
    return this.#small.length + this.#main.length;
  }

  /** Takes in a slot whose content is complete. */
  insert(slot: number): void {
    this.#ghosts.resize(Math.max(this.length + 1, this.#remembered));
    if (this.#ghosts.take(this.#state.contentHash(slot))) this.#pushMain(slot);
    else this.#pushSmall(slot);
  }

  remove(slot: number): void {
    if (this.#inMain[slot] === 1) {
      this.#main.remove(slot);
      return;
    }
    this.#small.remove(slot);
    if (this.#state.isUnread(slot)) this.#unread--;
  }

  /** `slot` is being read for the first time; `SlotState.isUnread` says so from now on. */
  firstRead(slot: number): void {
    if (this.#inMain[slot] === 0) this.#unread--;
  }

  /** `slot` was prefetched and its reader has stalled: it is evicted first. `SlotState.isUnread` is false from now on. */
  demote(slot: number): void {
    if (this.#inMain[slot] === 1) return;
    this.#unread--;
    this.#small.remove(slot);
    this.#small.unshift(slot);
  }

  /** The slot that would go next, after those read meanwhile have had their second chance; it stays in the queue. */
  peek(): number | undefined {
    const sparesUnread = this.#unread <= this.length * UNREAD_SHARE;
    return this.#victim(sparesUnread) ?? (sparesUnread ? this.#victim(false) : undefined);
  }

  /** Where every slot of the queue whose turn it is turns out to be held, the other queue has to give one. */
  #victim(sparesUnread: boolean): number | undefined {
    let smallLooks = this.#small.length;
    let mainLooks = 2 * this.length;
    while (smallLooks + mainLooks > 0) {
      const isSmall = smallLooks > 0 && (mainLooks === 0 || this.#isSmallFull());
      const slot = isSmall ? this.#small.first : this.#main.first;
      if (isSmall) smallLooks--;
      else mainLooks = slot === undefined ? 0 : mainLooks - 1;
      if (slot !== undefined && this.#goes(slot, sparesUnread)) return slot;
    }
    return undefined;
  }

  /** False for a slot that is being read or to be read, or has been read again: it goes to the end of its queue, or up. */
  #goes(slot: number, sparesUnread: boolean): boolean {
    const isInSmall = this.#inMain[slot] === 0;
    const stays = this.#state.isHeld(slot) || (sparesUnread && isInSmall && this.#state.isUnread(slot));
    if (!stays && !this.#state.takeVisited(slot)) return true;
    this.remove(slot);
    if (stays && isInSmall) this.#pushSmall(slot);
    else this.#pushMain(slot);
    return false;
  }

  /** Takes out `slot`, as found by `peek`, and remembers it if it leaves from the trial. */
  evict(slot: number): void {
    if (this.#inMain[slot] === 0) this.#ghosts.add(this.#state.contentHash(slot));
    this.remove(slot);
  }

  #isSmallFull(): boolean {
    if (this.#main.length === 0 || this.#small.length === 0) return this.#small.length > 0;
    const ahead = Math.min(this.#unread, this.length * UNREAD_SHARE);
    return this.#small.length - ahead > this.length * smallShare;
  }

  #pushSmall(slot: number): void {
    if (this.#state.isUnread(slot)) this.#unread++;
    this.#inMain[slot] = 0;
    this.#small.push(slot);
  }

  #pushMain(slot: number): void {
    this.#inMain[slot] = 1;
    this.#main.push(slot);
  }
}
