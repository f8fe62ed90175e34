/** Requests for whole objects, in their order. Objects are numbered from zero. */
export interface Trace {
  readonly name: string;
  /** The object of each request. */
  readonly objects: Uint32Array;
  /** The size of each object, in bytes. */
  readonly sizesBytes: Float64Array;
}

/** Bytes of all objects that the trace asks for. */
export function footprintBytes({ objects, sizesBytes }: Trace): number {
  const isAsked = new Uint8Array(sizesBytes.length);
  for (const object of objects) isAsked[object] = 1;
  return sizesBytes.reduce((sum, sizeBytes, object) => (isAsked[object] === 1 ? sum + sizeBytes : sum), 0);
}

/** For each request, which request is the next one for the same object; infinite when there is none. */
export function nextRequests({ objects, sizesBytes }: Trace): Float64Array {
  const next = new Float64Array(objects.length);
  const seen = new Float64Array(sizesBytes.length).fill(Infinity);
  for (let at = objects.length - 1; at >= 0; at--) {
    const object = objects[at] ?? 0;
    next[at] = seen[object] ?? Infinity;
    seen[object] = at;
  }
  return next;
}

/** Collects requests whose objects have names, and numbers these. An object has the size that its first request says. */
export class TraceBuilder {
  readonly #numbers = new Map<string | bigint, number>();
  readonly #objects: number[] = [];
  readonly #sizesBytes: number[] = [];

  add(name: string | bigint, sizeBytes: number): void {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
      this.#sizesBytes.push(sizeBytes);
    }
    this.#objects.push(number);
  }

  build(name: string): Trace {
    return {
      name,
      objects: Uint32Array.from(this.#objects),
      sizesBytes: Float64Array.from(this.#sizesBytes),
    };
  }
}
