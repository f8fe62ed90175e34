import type { Socket } from 'node:net';
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TLSSocket,
} from 'node:tls';
import { acceptedSocketOf } from '../../transport/accepted-socket.ts';
import { peerOf, rememberPeer } from '../../transport/peer.ts';
import { endWith } from '../../transport/unreadable.ts';
import { type RefusalOptions, refuse } from '../refuse-unreadable.ts';
import type { Certificate } from './certificate.ts';
import type { TlsMaterial } from './tls-material.ts';

/** A connection whose handshake is complete. */
export interface SecureConnection {
  /** As it was accepted. */
  readonly accepted: Socket;
  readonly secure: TLSSocket;
  readonly protocol: 'http/1.1' | 'h2';
}

/** `reason` is OpenSSL's, such as `tlsv1 alert unknown ca`: an alert is what the client has said. */
type TlsError = NodeJS.ErrnoException & { readonly reason?: string };

interface TlsAcceptorOptions extends RefusalOptions {
  readonly material: TlsMaterial;
  readonly onSecure: (connection: SecureConnection) => void;
  /** Time limit for a handshake. */
  readonly handshakeLimitMs?: number;
}

/** What OpenSSL says of a request without TLS. */
const PLAIN_HTTP = 'ERR_SSL_HTTP_REQUEST';

/** Most clients need two round trips; a slow network takes a few seconds. */
const HANDSHAKE_LIMIT_MS = 10_000;

/** Sessions are resumed only within one context (SSL_CTX_set_session_id_context(3)); the same for all workers. */
const SESSION_CONTEXT = 'tidegate';

/** Completes the handshakes of one TLS address, with the certificate for the server name that the client sends. */
export class TlsAcceptor {
  readonly #server: Server;
  readonly #refusing: RefusalOptions;
  #byName: ReadonlyMap<string, SecureContext>;
  #material: TlsMaterial;

  constructor(options: TlsAcceptorOptions) {
    const { material, onSecure, handshakeLimitMs = HANDSHAKE_LIMIT_MS } = options;
    this.#refusing = options;
    this.#material = material;
    const server = createServer({
      ...defaultContext(material),
      ALPNProtocols: material.http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      SNICallback: (name, choose) => choose(null, this.#contextFor(name)),
      handshakeTimeout: handshakeLimitMs,
      requestCert: material.clientCaPem !== undefined,
      // decided below, since an optional one may be absent, but not invalid
      rejectUnauthorized: false,
    });
    this.#server = server;
    this.#byName = contextsByName(material);
    server.on('secureConnection', secure => {
      const accepted = acceptedSocketOf(secure);
      if (accepted)
        rememberPeer(secure, { ...peerOf(accepted), tlsVersion: secure.getProtocol() ?? undefined });
      const protocol = secure.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
      const why = this.#whyRefused(secure);
      if (!accepted) secure.destroy();
      else if (why === undefined) onSecure({ accepted, secure, protocol });
      else this.#refuseClient(secure, protocol, why);
    });
    server.on('tlsClientError', (error: TlsError, secure) => this.#failed(error, secure));
  }

  /** Begins the handshake of a new connection. */
  accept(socket: Socket): void {
    // the TLS connection over it reports what goes wrong
    socket.on('error', () => undefined);
    this.#server.emit('connection', socket);
  }

  /**
   * Uses other certificates, authorities and ticket keys for new connections, and the new setting for clients without a
   * certificate. Whether clients are asked for a certificate, and the protocols, do not change.
   */
  update(material: TlsMaterial): void {
    this.#server.setSecureContext(defaultContext(material));
    this.#byName = contextsByName(material);
    this.#material = material;
  }

  /** Exact names first, then wildcards, which stand for one label (RFC 6125 §6.4.3); else the server's own context. */
  #contextFor(name: string): SecureContext | undefined {
    const asked = name.toLowerCase();
    return this.#byName.get(asked) ?? this.#byName.get(asked.replace(/^[^.]*/, '*'));
  }

  /** What a TLS library said is told: it is a mistake of either side's operator. Else the client has just gone. */
  #failed({ code = '', reason: why }: TlsError, secure: TLSSocket): void {
    const accepted = acceptedSocketOf(secure);
    const { address: remoteAddress } = peerOf(accepted ?? secure);
    const fields = { code, why, serverName: secure.servername || undefined, remoteAddress };
    const message = 'a TLS handshake failed';
    secure.destroy();
    // the connection below is not closed before this event is over
    if (code === PLAIN_HTTP && accepted) {
      const answer = refuse('plain-http', fields, message, this.#refusing);
      accepted.end(answer, () => accepted.destroy());
    } else if (code.startsWith('ERR_SSL_')) this.#refusing.lines.write('info', fields, message);
    else this.#refusing.logger.debug(fields, message);
  }

  /** A session of HTTP/2 just ends, since it could be told only after its first request. */
  #refuseClient(secure: TLSSocket, protocol: SecureConnection['protocol'], why: string): void {
    const fields = { remoteAddress: peerOf(secure).address, why };
    const message = 'refused a TLS client for its certificate';
    // nothing of the client's is read as a request
    if (protocol === 'http/1.1')
      endWith(secure, refuse('client-certificate', fields, message, this.#refusing));
    else {
      this.#refusing.lines.write('info', fields, message);
      secure.destroy();
    }
  }

  /** What is wrong with the certificate of a client; undefined where it is accepted. */
  #whyRefused(secure: TLSSocket): string | undefined {
    const { clientCaPem, requiresClientCertificate } = this.#material;
    if (clientCaPem === undefined) return undefined;
    // a resumed session without a certificate can count as authorized: to OpenSSL it looks like one with a pre-shared
    // key
    if (secure.getPeerX509Certificate() === undefined)
      return requiresClientCertificate ? 'it sent none' : undefined;
    return secure.authorized ? undefined : String(secure.authorizationError);
  }
}

function contextsByName(material: TlsMaterial): Map<string, SecureContext> {
  const contexts = new Map<string, SecureContext>();
  for (const certificate of material.certificates) {
    const context = createSecureContext(contextOptions(certificate, material));
    // the first certificate of a name is used
    for (const name of certificate.names) if (!contexts.has(name)) contexts.set(name, context);
  }
  return contexts;
}

function defaultContext(material: TlsMaterial): SecureContextOptions {
  const [first] = material.certificates;
  if (!first) throw new RangeError('TLS needs a certificate');
  return contextOptions(first, material);
}

function contextOptions(
  { certPem, keyPem }: Certificate,
  { clientCaPem, ticketKeys }: TlsMaterial,
): SecureContextOptions {
  return {
    cert: certPem,
    key: keyPem,
    ...(clientCaPem !== undefined && { ca: clientCaPem }),
    minVersion: 'TLSv1.2',
    sessionIdContext: SESSION_CONTEXT,
    ticketKeys: Buffer.from(ticketKeys),
  };
}
