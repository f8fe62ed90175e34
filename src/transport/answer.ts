import type { ServerResponse } from 'node:http';

/** The owner of a body that is being sent. */
export interface BodyGiver {
  /** Called when the connection has not accepted all of the body at once. */
  waits(): void;
  /**
   * Called once: `isTaken` when the connection has accepted all bytes, which may be reused now; false when the client
   * has disconnected before.
   */
  over(isTaken: boolean): void;
}

/** Sends the body of a response whose head is already prepared. The head is sent before the first byte of the body. */
export interface Answer {
  /**
   * Sends the complete body.
   *
   * @param body a string contains one character, at most U+00FF, per byte; its bytes may be copied
   */
  endWith(body: string | Buffer, giver?: BodyGiver): void;
  /**
   * Sends the next bytes.
   *
   * @param taken called when the connection has accepted the bytes; never called if the client disconnects before (the
   * response then closes)
   * @returns true when the bytes were accepted synchronously; `taken` is not called then, and the caller may reuse them
   */
  write(bytes: Buffer, taken: () => void): boolean;
  /** Ends the body. */
  end(): void;
}

/**
 * An answer sent by node:http, whose head was written with `writeHead`. It is ended only after its last byte is out: a
 * connection whose response has ended counts as idle and is closed when the server drains.
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
