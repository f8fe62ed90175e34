/**
 * Response fields that describe a host rather than one answer. A client applies them to the host that it asked, so an
 * intermediary under another name does not forward those of the host behind it. Alt-Svc would make clients bypass it
 * (RFC 7838 §2), Strict-Transport-Security (RFC 6797 §8.1) and Public-Key-Pins (RFC 7469 §2.3) can lock them out of it,
 * Clear-Site-Data deletes what they keep of it, and the others make browsers report to the host behind.
 */
export const hostFields: ReadonlySet<string> = new Set([
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'expect-ct',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'server',
  'strict-transport-security',
  'via',
  'x-powered-by',
]);
