import type { ServerResponse } from 'node:http';

/** Whoever gives a whole body away to be sent. */
export interface BodyGiver {
  /** Not all of it has been taken at once. */
  waits(): void;
  /** Called once, when the connection has taken all (`isTaken`: bytes are the giver's again) or the client has left before. */
  over(isTaken: boolean): void;
}

/** The body of an answer whose head has been put together, and goes out before it. */
export interface Answer {
  /**
   * Sends all of the body.
   *
   * @param body text for bytes that may be copied: one for each character, which is none above U+00FF.
   */
  endWith(body: string | Buffer, giver?: BodyGiver): void;
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

/**
 * An answer whose head `writeHead` has written: node:http does the rest. It ends when its last byte is out, and not before:
 * a connection whose answer has ended counts as idle, and goes when the server drains.
 */
export class StandardAnswer implements Answer {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  endWith(body: string | Buffer, giver?: BodyGiver): void {
    const response = this.#response;
    if (giver) response.on('close', () => giver.over(response.writableFinished));
    if (typeof body === 'string') response.end(body, 'latin1');
    else this.write(body, () => response.end());
    giver?.waits();
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
