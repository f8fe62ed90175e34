import type { ServedRequest } from './served-request.ts';
import { stopParsing } from './stop-parsing.ts';

/** A body of more chunks than this must have `AVERAGE_BYTES` in each: node:http makes one call per chunk. */
const FREE_CHUNKS = 1_024;
const AVERAGE_BYTES = 16;

/** After this many bytes or chunks, reading stops until the next turn of the event loop. */
const TURN_BYTES = 64 * 1024;
const TURN_CHUNKS = 256;

/**
 * Limits what the body of `request` may take of the thread. libuv reads a full socket up to 32 times, 64 KiB each, before
 * another connection has its turn, and node:http calls back for each HTTP chunk. So reading stops for a turn after some
 * of either, and a connection whose body consists of tiny chunks is closed.
 */
export function shareThread(request: ServedRequest): void {
  const { socket } = request;
  const push = request.push.bind(request);
  let [chunks, bytes, chunksInTurn, bytesInTurn] = [0, 0, 0, 0];
  let isResting = false;
  const stay = () => {
    if (isResting) socket.pause();
  };
  const goOn = () => {
    isResting = false;
    [chunksInTurn, bytesInTurn] = [0, 0];
    if (!request.complete && request.readableLength < request.readableHighWaterMark) socket.resume();
  };
  const rest = () => {
    if (isResting) return;
    isResting = true;
    setImmediate(goOn);
  };
  const mayReadOn = (sizeBytes: number): boolean => {
    chunks++;
    bytes += sizeBytes;
    if (chunks > FREE_CHUNKS && bytes < chunks * AVERAGE_BYTES) {
      socket.destroy();
      stopParsing(socket);
      return false;
    }
    chunksInTurn++;
    bytesInTurn += sizeBytes;
    if (chunksInTurn >= TURN_CHUNKS || bytesInTurn >= TURN_BYTES) rest();
    return !isResting;
  };
  // the consumer may resume reading at any time
  socket.on('resume', stay);
  // node:http stops reading when `push` returns false
  request.push = (chunk: Buffer | null) => {
    if (chunk !== null) {
      request.parsedBytes += chunk.length;
      // counted even while the buffer is full: what was read before reading stopped is still parsed
      const isWithinLimits = mayReadOn(chunk.length);
      return !socket.destroyed && push(chunk) && isWithinLimits;
    }
    isResting = false;
    socket.off('resume', stay);
    return push(null);
  };
}
