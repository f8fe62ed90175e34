import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { type CallbackRefusal, refuse } from './refusal.ts';

type BodyVerdict = { readonly kind: 'body'; readonly text: string } | CallbackRefusal;

/** Reads the body as text; refused if it is not UTF-8, longer than `maxBytes`, or not complete within `limitMs`. */
export function readBody(
  request: Readable,
  maxBytes: number,
  limitMs: number,
  clock: Clock,
): Promise<BodyVerdict> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (verdict: BodyVerdict) => {
      timer.cancel();
      request.removeAllListeners('data');
      resolve(verdict);
    };
    const timer = clock.after(limitMs, () =>
      finish(refuse('body-too-slow', 'The request did not arrive in time.')),
    );
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) finish(refuse('body-too-large', 'The request is too large.'));
    });
    request.on('end', () => finish(asText(Buffer.concat(chunks))));
    request.on('error', () => finish(refuse('body-too-slow', 'The request broke off.')));
  });
}

function asText(bytes: Uint8Array): BodyVerdict {
  try {
    return { kind: 'body', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return refuse('form-ambiguous', 'What was entered is not UTF-8.');
  }
}
