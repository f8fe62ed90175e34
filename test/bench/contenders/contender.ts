/** A server that answers the bench's objects from its cache. */
export interface Contender {
  readonly name: string;
  /** Everything below it is answered as the store answers it. */
  readonly url: string;
  /** The process whose CPU time, with all below it, is counted. */
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** The core that every server is kept on; the load comes from the other. */
export const serverCore = 0;
export const loadCore = 1;

export const pinned = ['taskset', '--cpu-list', String(serverCore)];
