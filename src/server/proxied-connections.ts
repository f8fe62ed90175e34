import type { Socket } from 'node:net';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { parseProxyHeader } from '../http/proxy-header.ts';
import { type Peer, peerOf, rememberPeer } from '../transport/peer.ts';
import type { ListenAddress, ProxySettings } from './listen-address.ts';
import { trustsProxies } from './trusted-proxies.ts';

/** Why the header of a connection was refused. */
export type ProxyRefusal = 'untrusted' | 'malformed' | 'ended' | 'slow' | 'crowded';

export interface ProxiedOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Counts connections that were closed because of their PROXY header. */
  readonly onProxyRefusal?: ((why: ProxyRefusal) => void) | undefined;
}

/** How long the header may take. Proxies send it with their first packet. */
const HEADER_LIMIT_MS = 5_000;

/** Most connections of one listener that may wait for their header. */
const MAX_WAITING = 1_024;

/** At most one log line per interval, because strangers can cause as many as they like. */
const PER_LINE_MS = 10_000;

type IsTrusted = ReturnType<typeof trustsProxies>;

/** Finds out whose connection a trusted proxy forwards, then passes the connection to `serve`. */
export class ProxiedConnections {
  readonly #kind: ListenAddress['kind'];
  readonly #headers: ProxyHeaders;
  readonly #serve: (socket: Socket) => void;
  #isTrusted: IsTrusted | undefined;
  #hasHeaders = false;

  constructor(address: ListenAddress, options: ProxiedOptions, serve: (socket: Socket) => void) {
    this.#kind = address.kind;
    this.#headers = new ProxyHeaders(options);
    this.#serve = serve;
    this.trust(address);
  }

  /** Uses these settings for new connections. */
  trust({ trustedProxies, proxyProtocol = false }: ProxySettings): void {
    this.#isTrusted = trustedProxies && trustsProxies(trustedProxies, this.#kind);
    this.#hasHeaders = proxyProtocol;
  }

  /**
   * Closes a connection to a port whose client is not known, because it has reset the connection already: what it sent would
   * be from nobody.
   */
  accept(socket: Socket): void {
    const isTrusted = this.#isTrusted;
    if (this.#kind === 'tcp' && peerOf(socket).address === undefined) socket.on('error', ignore).destroy();
    else if (!isTrusted) this.#serve(socket);
    else if (!this.#hasHeaders) this.#serveFor(socket, peerOf(socket), isTrusted);
    else if (isTrusted(peerOf(socket).address))
      this.#headers.read(socket, address => {
        const named = address === undefined ? peerOf(socket) : { address, isNamedByProxy: true };
        this.#serveFor(socket, named, isTrusted);
      });
    else this.#headers.refuse(socket, 'untrusted');
  }

  #serveFor(socket: Socket, peer: Peer, isTrusted: IsTrusted): void {
    rememberPeer(socket, { ...peer, isTrusted });
    this.#serve(socket);
  }
}

/** Reads PROXY protocol headers, which may arrive in several pieces. */
class ProxyHeaders {
  readonly #options: ProxiedOptions;
  #waiting = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(options: ProxiedOptions) {
    this.#options = options;
  }

  /** @param done gets the address that the header names, if it names one */
  read(socket: Socket, done: (address: string | undefined) => void): void {
    if (this.#waiting >= MAX_WAITING) {
      this.refuse(socket, 'crowded');
      return;
    }
    this.#waiting++;
    let bytes = Buffer.alloc(0);
    const end = () => {
      this.#waiting--;
      timer.cancel();
      socket.off('readable', readable).off('error', ignore).off('end', ended).off('close', end);
    };
    const refuse = (why: ProxyRefusal) => {
      end();
      this.refuse(socket, why);
    };
    const ended = () => refuse('ended');
    const readable = () => {
      for (let chunk = readFrom(socket); chunk; chunk = readFrom(socket))
        bytes = Buffer.concat([bytes, chunk]);
      const header = parseProxyHeader(bytes);
      if (header.kind === 'incomplete') return;
      if (header.kind === 'malformed') {
        refuse('malformed');
        return;
      }
      end();
      if (header.lengthBytes < bytes.length) socket.unshift(bytes.subarray(header.lengthBytes));
      // removing the 'readable' listener takes effect on the stream in the next tick
      process.nextTick(() => {
        if (!socket.destroyed) done(header.address);
      });
    };
    const timer: Timer = this.#options.clock.after(HEADER_LIMIT_MS, () => refuse('slow'));
    socket.on('readable', readable).on('error', ignore).on('end', ended).on('close', end);
  }

  refuse(socket: Socket, why: ProxyRefusal): void {
    const { clock, logger, onProxyRefusal } = this.#options;
    const { address } = peerOf(socket);
    socket.on('error', ignore);
    socket.destroy();
    onProxyRefusal?.(why);
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#loggedMs < PER_LINE_MS) {
      this.#leftOut++;
      return;
    }
    const leftOut = this.#leftOut || undefined;
    [this.#loggedMs, this.#leftOut] = [nowMs, 0];
    logger.warn(
      { client: address, why, leftOut },
      'closed a connection because of its PROXY protocol header',
    );
  }
}

function readFrom(socket: Socket): Buffer | undefined {
  const chunk: unknown = socket.read();
  return Buffer.isBuffer(chunk) ? chunk : undefined;
}

function ignore(): void {
  // the connection has gone; 'close' follows
}
