import type { Writable } from 'node:stream';

/** Resolves when `stream` has written all that it was given, or cannot: its reader may have gone, or the disk be full. An error destroys it. */
export async function writtenOut(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('error', () => resolve());
  stream.write('', () => resolve());
  await promise;
}
