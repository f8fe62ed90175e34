import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { passOverRest } from './request-bodies.ts';

type ReadBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too large' | 'too slow' | 'broken off' };

/** The time that a body has to come within. */
interface BodyTime {
  readonly limitMs: number;
  readonly clock: Clock;
}

/** Reads a body of at most `maxBytes`. It stops at the first byte beyond, and when the time is over. */
export function readBody(request: Readable, maxBytes: number, time?: BodyTime): Promise<ReadBody> {
  const { promise, resolve } = Promise.withResolvers<ReadBody>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const finish = (body: ReadBody) => {
    timer?.cancel();
    request.off('data', arrived).off('end', ended).off('close', broken);
    passOverRest(request);
    resolve(body);
  };
  const arrived = (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) finish({ kind: 'too large' });
    else chunks.push(chunk);
  };
  const ended = () => finish({ kind: 'whole', bytes: Buffer.concat(chunks) });
  const broken = () => finish({ kind: 'broken off' });
  const timer = time?.clock.after(time.limitMs, () => finish({ kind: 'too slow' }));
  // an error may come after the reading has ended, and must not be without a listener then
  request.on('data', arrived).on('end', ended).on('close', broken).on('error', broken);
  if (request.destroyed) broken();
  return promise;
}
