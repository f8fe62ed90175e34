import type { Clock } from '../../base/clock.ts';
import type { ObjectSubject } from '../alert.ts';
import type { RequestedObject } from '../rules/rule.ts';

/** A request this long ago no longer counts. */
const MEMORY_MS = 15 * 60_000;
/** So many objects are told apart; beyond, the one not asked for the longest is forgotten. */
const MAX_OBJECTS = 1_000;

interface Requests {
  readonly object: ObjectSubject;
  readonly count: number;
  readonly lastMs: number;
}

/**
 * Which objects were asked for of late and refused for lying in the archive. Metrics cannot tell, since keys are no
 * labels; this is bounded instead.
 */
export class RequestedObjects {
  readonly #clock: Clock;
  /** The one asked for the longest ago first. */
  readonly #requests = new Map<string, Requests>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(object: ObjectSubject): void {
    this.#forgetOld();
    const id = nameOf(object);
    const count = (this.#requests.get(id)?.count ?? 0) + 1;
    this.#requests.delete(id);
    this.#requests.set(id, { object, count, lastMs: this.#clock.monotonicMs() });
  }

  /** Every object asked for of late, and how often. */
  recent(): readonly RequestedObject[] {
    this.#forgetOld();
    return Array.from(this.#requests.values(), ({ object, count }) => ({ ...object, count }));
  }

  #forgetOld(): void {
    const oldMs = this.#clock.monotonicMs() - MEMORY_MS;
    for (const [id, { lastMs }] of this.#requests) {
      if (lastMs > oldMs && this.#requests.size < MAX_OBJECTS) return;
      this.#requests.delete(id);
    }
  }
}

/** What several workers were asked for as one, most often asked for first. */
export function mergeRequests(lists: readonly (readonly RequestedObject[])[]): readonly RequestedObject[] {
  const merged = new Map<string, RequestedObject>();
  for (const object of lists.flat()) {
    const id = nameOf(object);
    merged.set(id, { ...object, count: object.count + (merged.get(id)?.count ?? 0) });
  }
  return Array.from(merged.values()).sort((a, b) => b.count - a.count);
}

function nameOf({ bucket, key, versionId }: ObjectSubject): string {
  return JSON.stringify([bucket, key, versionId]);
}
