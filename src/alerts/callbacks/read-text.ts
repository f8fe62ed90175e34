import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { readBody } from '../../transport/read-body.ts';
import { type CallbackRefusal, refuse } from './refusal.ts';

type TextVerdict = { readonly kind: 'text'; readonly text: string } | CallbackRefusal;

/** Reads the body as text; refused if it is not UTF-8, longer than `maxBytes`, or not complete within `limitMs`. */
export async function readText(
  request: Readable,
  maxBytes: number,
  limitMs: number,
  clock: Clock,
): Promise<TextVerdict> {
  const body = await readBody(request, maxBytes, { limitMs, clock });
  switch (body.kind) {
    case 'whole':
      return asText(body.bytes);
    case 'too large':
      return refuse('body-too-large', 'The request is too large.');
    case 'too slow':
      return refuse('body-too-slow', 'The request did not arrive in time.');
    case 'broken off':
      return refuse('body-too-slow', 'The request broke off.');
  }
}

function asText(bytes: Uint8Array): TextVerdict {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return refuse('form-ambiguous', 'What was entered is not UTF-8.');
  }
}
