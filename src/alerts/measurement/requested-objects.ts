import type { Clock } from '../../base/clock.ts';
import type { ObjectSubject } from '../alert.ts';
import type { RequestedObject } from '../rules/rule.ts';

/** Older requests are not counted. */
const MEMORY_MS = 15 * 60_000;
/** The maximum number of objects; beyond it, the least recently requested one is dropped. */
const MAX_OBJECTS = 1_000;

interface Requests {
  readonly object: ObjectSubject;
  readonly count: number;
  readonly lastMs: number;
}

/**
 * Records which objects were recently requested but refused because they are archived. Metrics cannot, since keys are
 * not used as labels; this list is bounded.
 */
export class RequestedObjects {
  readonly #clock: Clock;
  /** The least recently requested object comes first. */
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

  /** The recently requested objects with their number of requests. */
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

/** Merges the lists of several workers, the most requested objects first. */
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
