import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import type { Ending, RequestNote } from './request-log.ts';

const pieceBytes = 65_536;

/** Sends `answer` at `rateBytesPerS` at most, which may change meanwhile, up to where `fault` ends it, and tells how it ended. */
export async function transfer(
  reply: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
  rateBytesPerS: () => number,
  note: RequestNote,
): Promise<Ending> {
  reply.writeHead(answer.status, answer.headers);
  note.head(answer.status);
  const lengthBytes = note.entry.method === 'HEAD' || answer.status === 304 ? 0 : answer.lengthBytes;
  const endBytes = fault?.kind === 'break' ? Math.min(fault.afterBytes, lengthBytes) : lengthBytes;
  const pauseBytes = fault?.kind === 'stall' ? Math.min(fault.afterBytes, endBytes) : endBytes;
  const send = (from: number, to: number) => sendPart(reply, answer, from, to, rateBytesPerS, note);

  if (!(await send(0, pauseBytes))) return 'left';
  if (fault?.kind === 'stall' && !(await resumed(reply, fault.until))) return 'left';
  if (!(await send(pauseBytes, endBytes))) return 'left';
  return fault?.kind === 'break' ? cut(reply) : finish(reply);
}

/** Sends the bytes `from` up to `to` of the body; false when the client has gone. */
async function sendPart(
  reply: ServerResponse,
  answer: Answer,
  from: number,
  to: number,
  rateBytesPerS: () => number,
  note: RequestNote,
): Promise<boolean> {
  const startMs = performance.now();
  for (let sent = from; sent < to; ) {
    const aheadMs = ((sent - from) / rateBytesPerS()) * 1000 - (performance.now() - startMs);
    // Timers fire late rather than early; the next pieces make up for it, so the average holds.
    if (aheadMs >= 1) await wait(aheadMs);
    if (reply.destroyed) return false;
    const piece = answer.content.slice(answer.firstByte + sent, Math.min(pieceBytes, to - sent));
    sent += piece.length;
    const taken = reply.write(piece);
    note.body(piece.length);
    if (!taken && !(await drained(reply))) return false;
  }
  return !reply.destroyed;
}

/** Kept with true when the socket takes more, with false when it was closed. */
function drained(reply: ServerResponse): Promise<boolean> {
  return firstOf(reply, 'drain', undefined);
}

function resumed(reply: ServerResponse, until: Promise<void> | undefined): Promise<boolean> {
  reply.flushHeaders();
  return firstOf(reply, undefined, until);
}

function firstOf(
  reply: ServerResponse,
  event: 'drain' | undefined,
  promise: Promise<void> | undefined,
): Promise<boolean> {
  if (reply.destroyed) return Promise.resolve(false);
  const { promise: outcome, resolve } = Promise.withResolvers<boolean>();
  const go = () => resolve(true);
  const gone = () => resolve(false);
  reply.once('close', gone);
  if (event) reply.once(event, go);
  void promise?.then(go);
  return outcome.finally(() => {
    reply.off('close', gone);
    if (event) reply.off(event, go);
  });
}

/** Cuts the connection once the kernel has what was written, so that exactly those bytes arrive. */
async function cut(reply: ServerResponse): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<void>();
  reply.once('close', resolve);
  reply.flushHeaders();
  reply.write('', () => reply.destroy());
  await promise;
  return 'broken';
}

async function finish(reply: ServerResponse): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  reply.once('finish', () => resolve('complete'));
  reply.once('close', () => resolve('left'));
  reply.end();
  return promise;
}
