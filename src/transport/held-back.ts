import type { ServerResponse } from 'node:http';

/** How many waits there are, by response and by connection. */
const waits = new WeakMap<object, number>();

/**
 * Nothing moves for `response` for a while although its client would take more: neither it nor its connection is idle.
 *
 * @returns ends that; to be called once
 */
export function holdBack(response: ServerResponse): () => void {
  const held = [response, response.req.socket];
  for (const each of held) waits.set(each, (waits.get(each) ?? 0) + 1);
  return () => {
    for (const each of held) waits.set(each, (waits.get(each) ?? 0) - 1);
  };
}

/** Whether a response, or one on this connection, is held back. */
export function isHeldBack(responseOrSocket: object): boolean {
  return (waits.get(responseOrSocket) ?? 0) > 0;
}
