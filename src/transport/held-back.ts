import type { ServerResponse } from 'node:http';

/** The number of current waits, by response and by connection. */
const waits = new WeakMap<object, number>();

/**
 * Marks `response` and its connection as waiting on purpose (a rate limit), so that idle timeouts do not end them.
 *
 * @returns a function that ends this; must be called once
 */
export function holdBack(response: ServerResponse): () => void {
  const held = [response, response.req.socket];
  for (const each of held) waits.set(each, (waits.get(each) ?? 0) + 1);
  return () => {
    for (const each of held) waits.set(each, (waits.get(each) ?? 0) - 1);
  };
}

/** Whether a response, or one on this connection, is waiting on purpose. */
export function isHeldBack(responseOrSocket: object): boolean {
  return (waits.get(responseOrSocket) ?? 0) > 0;
}
