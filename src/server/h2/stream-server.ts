import {
  constants,
  createServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { ClientQuota, clientOf } from '../../base/client-quota.ts';
import { peerOf } from '../../transport/peer.ts';
import type { TakesBody } from '../../transport/request-bodies.ts';
import { StreamRequest } from '../../transport/stream-request.ts';
import { StreamResponse } from '../../transport/stream-response.ts';
import { type ClientLimits, requestQuota } from '../client-limits.ts';
import type { OpenConnection } from '../open-connections.ts';
import { type RefusalOptions, refuse } from '../refuse-unreadable.ts';
import type { RequestHandler } from '../request-handler.ts';
import { Sweep } from '../sweep.ts';
import { respondWithText } from './respond-with-text.ts';
import { StreamSweep } from './stream-sweep.ts';

interface StreamServerOptions extends RefusalOptions {
  readonly handle: RequestHandler;
  readonly takesBody: TakesBody;
  readonly limits: ClientLimits;
}

/** Streams of a session that may be open at a time: as many as clients usually expect (RFC 9113 §6.5.2). */
const STREAMS_PER_SESSION = 100;

/** Streams of a session that are handled in one turn of the event loop; the others wait for the next. */
const STREAMS_PER_TURN = 16;

/** What a client may send of a body before it is read. */
const WINDOW_BYTES = 256 * 1024;

/** A client that resets streams again and again makes work and waits for none of it (CVE-2023-44487). */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 20;

/** Limit for frames that only have to be acknowledged: how many per interval. */
const ACKNOWLEDGED_FRAMES = 500;
const ACKNOWLEDGEMENTS_MS = 20_000;

/** What each field of a list counts beside its name and value (RFC 9113 §6.5.2). */
const FIELD_OVERHEAD_BYTES = 32;

/** What the log says of each. */
const refusals = {
  'headers-too-large': 'refused a request whose header list is too large',
  tunnel: 'refused a CONNECT request',
  'too-slow': 'refused a request whose client sends too slowly',
} as const;

interface Session {
  readonly session: ServerHttp2Session;
  readonly connection: OpenConnection;
  readonly secure: TLSSocket;
  readonly client: string;
  waiting: (() => void)[];
  handledInTurn: number;
  acknowledged: number;
}

/** Serves the sessions of HTTP/2, with the rules that the connections of HTTP/1 have. */
export class StreamServer {
  readonly #options: StreamServerOptions;
  readonly #server: Http2Server;
  readonly #quota: ClientQuota;
  readonly #sessions = new Map<Http2Session, Session>();
  readonly #sweep: StreamSweep;
  readonly #acknowledgements: Sweep;
  #opening: Pick<Session, 'connection' | 'secure'> | undefined;

  constructor(options: StreamServerOptions) {
    const { limits, logger } = options;
    this.#options = options;
    // as many as may wait behind others on connections of HTTP/1
    this.#quota = new ClientQuota(requestQuota(limits));
    this.#sweep = new StreamSweep(limits, stream => this.#refuse(stream, 'too-slow'));
    this.#acknowledgements = new Sweep(ACKNOWLEDGEMENTS_MS, () => {
      for (const session of this.#sessions.values()) session.acknowledged = 0;
    });
    this.#server = createServer({
      settings: {
        maxConcurrentStreams: STREAMS_PER_SESSION,
        maxHeaderListSize: limits.headersBytes,
        initialWindowSize: WINDOW_BYTES,
      },
      ...{ streamResetBurst: RESET_BURST, streamResetRate: RESETS_PER_SECOND },
      maxHeaderListPairs: 2_000,
      strictSingleValueFields: false,
    });
    this.#server.on('session', session => this.#opened(session));
    this.#server.on('sessionError', (error: NodeJS.ErrnoException) => {
      logger.debug({ code: error.code }, 'a session of HTTP/2 failed');
    });
    this.#server.on('stream', (stream: ServerHttp2Stream, _headers: object, flags: number, raw: string[]) =>
      this.#received(stream, flags, raw),
    );
  }

  /** Changes the limits; streams that are open beyond them stay. The size of header lists stays as it is. */
  limit(limits: ClientLimits): void {
    this.#quota.limit(requestQuota(limits));
    this.#sweep.limit(limits);
  }

  /** Serves a connection whose handshake has chosen HTTP/2. */
  accept(connection: OpenConnection, secure: TLSSocket): void {
    this.#opening = { connection, secure };
    this.#server.emit('connection', secure);
    this.#opening = undefined;
  }

  /** Tells all clients to open no more streams; those that are open are finished (RFC 9113 §6.8). */
  closeSessions(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  stop(): void {
    this.#sweep.stop();
    this.#acknowledgements.stop();
  }

  #opened(session: ServerHttp2Session): void {
    if (!this.#opening) return;
    const { connection, secure } = this.#opening;
    const known: Session = {
      ...{ session, connection, secure, client: clientOf(peerOf(secure).address) },
      ...{ waiting: [], handledInTurn: 0, acknowledged: 0 },
    };
    this.#sessions.set(session, known);
    connection.session = session;
    secure.once('close', () => this.#sessions.delete(session));
    // A connection of HTTP/2 has no half-close: a client that has closed its side never opens a window again. Nothing
    // might be written any more, so the kernel would not tell that it is gone. node:http2 closes the connection only when
    // it has written what it had begun to write, which may be never.
    secure.once('end', () => {
      session.destroy();
      secure.destroy();
    });
    const acknowledged = () => {
      if (++known.acknowledged > ACKNOWLEDGED_FRAMES)
        session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    };
    session.on('ping', acknowledged);
    session.on('remoteSettings', acknowledged);
  }

  #received(stream: ServerHttp2Stream, flags: number, raw: readonly string[]): void {
    // what is wrong with a stream concerns nobody else; its end follows
    stream.on('error', () => undefined);
    const session = stream.session && this.#sessions.get(stream.session);
    if (!session || !this.#quota.take(session.client)) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    session.connection.streams++;
    stream.once('close', () => {
      session.connection.streams--;
      this.#quota.giveBack(session.client);
    });
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    this.#inTurn(session, () => this.#handle(session, stream, raw, hasBody));
  }

  #handle({ secure }: Session, stream: ServerHttp2Stream, raw: readonly string[], hasBody: boolean): void {
    if (stream.destroyed) return;
    const { handle, takesBody, limits } = this.#options;
    // node:http2 applies the limit only once the client has acknowledged it, and another one until then
    if (listBytes(raw) > limits.headersBytes) {
      this.#refuse(stream, 'headers-too-large');
      return;
    }
    const request = new StreamRequest(secure, stream, raw, hasBody);
    if (request.method === 'CONNECT') {
      this.#refuse(stream, 'tunnel');
      return;
    }
    const response = new StreamResponse(request, stream);
    if (hasBody && takesBody(request)) {
      request.isContinueAwaited = /(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect ?? '');
      this.#sweep.add(stream, request, response);
    } else this.#sweep.add(stream, undefined, response);
    handle(request, response);
  }

  #refuse(stream: ServerHttp2Stream, why: keyof typeof refusals): void {
    const secure = stream.session && this.#sessions.get(stream.session)?.secure;
    const remoteAddress = secure && peerOf(secure).address;
    respondWithText(stream, refuse(why, { remoteAddress }, refusals[why], this.#options));
  }

  /** A read may bring thousands of requests: other connections have their turns between them. */
  #inTurn(session: Session, handle: () => void): void {
    if (session.handledInTurn >= STREAMS_PER_TURN) {
      session.waiting.push(handle);
      return;
    }
    if (session.handledInTurn++ === 0) setImmediate(() => this.#nextTurn(session));
    handle();
  }

  #nextTurn(session: Session): void {
    const turn = session.waiting.splice(0, STREAMS_PER_TURN);
    session.handledInTurn = turn.length;
    if (turn.length > 0) setImmediate(() => this.#nextTurn(session));
    for (const handle of turn) handle();
  }
}

/** As limits count it (RFC 9113 §6.5.2). @param raw names and values alternating */
function listBytes(raw: readonly string[]): number {
  let bytes = FIELD_OVERHEAD_BYTES * (raw.length / 2);
  for (const text of raw) bytes += text.length;
  return bytes;
}
