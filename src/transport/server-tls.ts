/** How the TLS certificate of a server is checked, and which one it is shown. */
export interface ServerTls {
  /** PEM of the authorities that are trusted, instead of those of the system. */
  readonly ca?: string | undefined;
  /** PEM of the client's certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that is asked for and expected in the certificate; that of the host when left out. */
  readonly serverName?: string | undefined;
  /** Whether any certificate is accepted. */
  readonly insecureSkipVerify?: boolean | undefined;
}
