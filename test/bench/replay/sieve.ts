import type { Contender } from './contender.ts';

interface Node {
  readonly object: number;
  readonly sizeBytes: number;
  isVisited: boolean;
  newer: Node | undefined;
  older: Node | undefined;
}

/**
 * SIEVE (Zhang et al., NSDI 2024): a queue in the order of arrival, and a hand that goes from the oldest to the newest,
 * takes the mark of what was read again, and evicts what has none.
 */
export class Sieve implements Contender {
  readonly #nodes = new Map<number, Node>();
  readonly #capacityBytes: number;
  #bytes = 0;
  #newest: Node | undefined;
  #oldest: Node | undefined;
  #hand: Node | undefined;

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes;
  }

  request(object: number, sizeBytes: number): boolean {
    const held = this.#nodes.get(object);
    if (held) {
      held.isVisited = true;
      return true;
    }
    if (sizeBytes > this.#capacityBytes) return false;
    while (this.#bytes + sizeBytes > this.#capacityBytes) this.#evict();
    const node: Node = { object, sizeBytes, isVisited: false, newer: undefined, older: this.#newest };
    if (this.#newest) this.#newest.newer = node;
    this.#newest = node;
    this.#oldest ??= node;
    this.#nodes.set(object, node);
    this.#bytes += sizeBytes;
    return false;
  }

  #evict(): void {
    let node = this.#hand ?? this.#oldest;
    while (node?.isVisited) {
      node.isVisited = false;
      node = node.newer ?? this.#oldest;
    }
    if (!node) return;
    this.#hand = node.newer;
    if (node.newer) node.newer.older = node.older;
    else this.#newest = node.older;
    if (node.older) node.older.newer = node.newer;
    else this.#oldest = node.newer;
    this.#nodes.delete(node.object);
    this.#bytes -= node.sizeBytes;
  }
}
