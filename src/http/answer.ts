import type { ServerResponse } from 'node:http';

/** The body of an answer whose head has been put together, and goes out before it. */
export interface Answer {
  /** Sends `text` as all of the body: one byte for each character, which is none above U+00FF. */
  endWith(text: string): void;
  /**
   * Sends the next bytes.
   *
   * @param taken called when the connection has taken them; never, when the client leaves before (the response is closed then).
   * @returns true when it has taken them already: `taken` is not called, and they are the caller's again.
   */
  write(bytes: Buffer, taken: () => void): boolean;
  /** The body is complete. */
  end(): void;
}

/** An answer whose head `writeHead` has written: node:http does the rest. */
export class StandardAnswer implements Answer {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  endWith(text: string): void {
    this.#response.end(text, 'latin1');
  }

  write(bytes: Buffer, taken: () => void): boolean {
    this.#response.write(bytes, error => {
      if (!error) taken();
    });
    return false;
  }

  end(): void {
    this.#response.end();
  }
}
