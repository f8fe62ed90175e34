import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers the requests of one connection one after another: those that are pipelined would all be worked on at once, for a client that
 * takes nothing. What a client that has left had sent is not answered.
 */
export class RequestTurns {
  readonly #last = new WeakMap<Socket, Promise<void>>();

  /** @param answer begins to answer, once it is the turn of `request` */
  take(request: IncomingMessage, response: ServerResponse, answer: () => Promise<void>): void {
    const { socket } = request;
    const before = this.#last.get(socket) ?? Promise.resolve();
    const over = before.then(async () => {
      if (socket.destroyed) return;
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      response.once('close', resolve);
      await answer();
      await closed;
    });
    this.#last.set(socket, over);
  }
}
