import type { LookupFunction, OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';

/** How much a socket may bring at once. */
const readBytes = 256 * 1024;

export interface ConnectorOptions {
  readonly connectMs: number;
  readonly lookup: LookupFunction | undefined;
}

/**
 * Connects as undici does, but all connections read into one buffer, the next read over the last: a large body would
 * else leave a new Buffer every 64 KiB, which costs V8 a full collection every 30 MB and the system as many new pages.
 *
 * What a connection brings is good only until undici has parsed it, in the same turn of the event loop; what undici
 * leaves, because it has been paused, is copied and the connection not read before that has been taken.
 */
export function readBufferConnector({ connectMs, lookup }: ConnectorOptions): buildConnector.connector {
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  const unread = new WeakMap<Socket, Unread>();
  const onread: OnReadOpts & ThisType<Socket> = {
    buffer,
    callback(lengthBytes, bytes) {
      const arrived = Buffer.from(bytes.buffer, bytes.byteOffset, lengthBytes);
      return unread.get(this)?.arrived(arrived) ?? refuseEarly(this);
    },
  };
  const options = { timeout: connectMs, allowH2: false, ...(lookup && { lookup }), onread };
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (error, socket) => {
      if (error) {
        callback(error, null);
        return;
      }
      unread.set(socket, new Unread(socket));
      callback(null, socket);
    });
  };
}

/** A server that speaks before it has been connected to is no HTTP server. */
function refuseEarly(socket: Socket): boolean {
  socket.destroy(new Error('bytes came before the connection was there'));
  return false;
}

/** What one connection has brought and undici has not parsed: takes the place of the stream's own buffer. */
class Unread {
  readonly #socket: Socket;
  readonly #readStream: Socket['read'];
  #bytes: Buffer | undefined;
  #isHeld = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#readStream = socket.read.bind(socket);
    socket.read = sizeBytes => this.#read(sizeBytes);
    socket.unshift = (rest: Buffer) => this.#unshift(rest);
  }

  /** Hands `bytes` on. False: not all was taken, and nothing more is to be read until it has been. */
  arrived(bytes: Buffer): boolean {
    // an encrypted connection brings what it has decrypted, stopped or not
    this.#bytes = this.#bytes ? Buffer.concat([this.#bytes, bytes]) : bytes;
    this.#socket.emit('readable');
    if (!this.#bytes) return true;
    this.#bytes = Buffer.from(this.#bytes);
    this.#isHeld = true;
    return false;
  }

  #read(sizeBytes: number | undefined): Buffer | null {
    // `read(0)` asks the stream to begin, and to notice its end
    if (sizeBytes !== undefined) return this.#readStream(sizeBytes);
    const bytes = this.#bytes;
    this.#bytes = undefined;
    if (bytes) return bytes;
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#socket.resume();
    }
    return null;
  }

  #unshift(rest: Buffer): void {
    this.#bytes = rest.length > 0 ? rest : undefined;
  }
}
