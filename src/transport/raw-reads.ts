import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Reads of this size need a third less CPU time per body than reads of 64 KiB, in nginx as well. */
export const READ_BYTES = 256 * 1024;

/** A reader that reads a connection past node:http. */
export interface RawReader {
  /**
   * The next `lengthBytes` have come.
   *
   * @param memory whose beginning they are; that of the last `nextMemory`
   * @param isOwn false for memory that is used again after the call
   * @returns whether to go on reading
   */
  arrived(memory: Buffer, lengthBytes: number, isOwn: boolean): boolean;
  /** The memory for the next read; undefined: the memory that all connections share. */
  nextMemory(): Buffer | undefined;
}

/** What node:net keeps in a socket with the option `onread`, under these names. */
const fieldNames = ['kBuffer', 'kBufferCb', 'kBufferGen'] as const;

interface Handle {
  useUserBuffer(memory: Buffer): void;
}

/** Used by one read at a time: bytes that are not taken during the call are copied. */
const shared = Buffer.allocUnsafeSlow(READ_BYTES);

/** As much as node:http reads at once: its parser handles all small requests of one read before anything else. */
const usual = shared.subarray(0, 64 * 1024);

const known = new WeakMap<Socket, RawReads>();

/**
 * Reads a connection into memory of one's own, as the option `onread` of net.connect does, which node:net has for
 * connections that it makes, not for those that it accepts: for these the option is set afterwards. Without a reader, bytes
 * go the usual way, as copies.
 *
 * Relies on the fields in which node:net keeps that option, and on how it uses them (`onStreamRead` in its
 * stream_base_commons.js): the callback gets what was read, then the generator gives the memory of the next read.
 */
export class RawReads {
  reader: RawReader | undefined;

  /** Undefined where this version of Node keeps the option elsewhere, for TLS, and for sockets that have the option. */
  static of(socket: Socket): RawReads | undefined {
    const before = known.get(socket);
    if (before || socket instanceof TLSSocket || !(socket instanceof Socket)) return before;
    const symbols = Object.getOwnPropertySymbols(socket);
    const fields = fieldNames.map(name => symbols.find(({ description }) => description === name));
    const handle: unknown = Reflect.get(socket, '_handle');
    if (!isHandle(handle) || !fields.every(field => field && Reflect.get(socket, field) === null))
      return undefined;
    const reads = new RawReads();
    known.set(socket, reads);
    const arrived = (lengthBytes: number, memory: Buffer) =>
      reads.reader?.arrived(memory, lengthBytes, memory.buffer !== shared.buffer) ??
      socket.push(Buffer.from(memory.subarray(0, lengthBytes)));
    const next = () => (reads.reader ? (reads.reader.nextMemory() ?? shared) : usual);
    for (const [index, value] of [usual, arrived, next].entries())
      Reflect.set(socket, fields[index] ?? '', value);
    handle.useUserBuffer(usual);
    return reads;
  }
}

function isHandle(handle: unknown): handle is Handle {
  return (
    typeof handle === 'object' &&
    handle !== null &&
    'useUserBuffer' in handle &&
    typeof handle.useUserBuffer === 'function'
  );
}
