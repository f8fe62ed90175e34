/** Tracks how much of a body undici has parsed. */
export interface ExpectedBody {
  /** undici has parsed `chunk` of the body. */
  parsed(chunk: Buffer): void;
}

/** The connection of an answer, as its socket is one. */
export interface AnsweringConnection {
  /**
   * Why it broke, if it did. undici takes a reset for the end of a body that ends with its connection
   * (`onHttpSocketError` in its client-h1.js), which is complete only if nothing went wrong (RFC 9112 §8).
   */
  readonly errored: Error | null;
  /** Whether it is closed. */
  readonly destroyed: boolean;
  /** To be called as soon as the answer has ended, before another request is sent on it. */
  destroy(): void;
}
