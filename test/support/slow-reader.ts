import { get, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const piecesAtOnce = 16;
const pauseMs = 4;

/** Reads the answer to a GET at some hundred megabytes per second at the most. */
export async function readSlowly(url: string): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false }, resolve).on('error', reject);
  const chunks: Buffer[] = [];
  for await (const chunk of await promise) {
    chunks.push(chunk);
    if (chunks.length % piecesAtOnce === 0) await wait(pauseMs);
  }
  return Buffer.concat(chunks);
}
