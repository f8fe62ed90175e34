/** The host of a URL, an IPv6 address without its brackets (RFC 3986 §3.2.2). @throws TypeError for what is no URL */
export function hostOf(url: string | URL): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Whether an address is one that a machine has for itself (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopbackAddress(host: string): boolean {
  return host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether `host`, a name or an address, is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** Whether who listens on `host` takes what is sent to any address of the machine. */
export function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
