/** A link in the header of every page. */
export interface PageLink {
  readonly href: string;
  readonly label: string;
}

export interface NavigationOptions {
  /** Whether the built-in channel is active. */
  readonly hasChannel: boolean;
  /** Whether requests need the bearer token. A browser does not send it with a link, so no link leads to plain data then. */
  readonly needsToken: boolean;
}

/** The links between the pages of the admin port. */
export function pageNavigation({ hasChannel, needsToken }: NavigationOptions): readonly PageLink[] {
  return [
    { href: '/', label: 'Status' },
    { href: '/runbook', label: 'Runbook' },
    { href: '/objects', label: 'Objects' },
    ...(hasChannel ? [{ href: '/channel', label: 'Channel' }] : []),
    ...(needsToken ? [] : [{ href: '/metrics', label: 'Metrics' }]),
  ];
}
