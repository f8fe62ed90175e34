import { isIPv4 } from 'node:net';

/** How much of something there may be at once. */
export interface QuotaLimits {
  readonly inAll: number;
  readonly perClient: number;
}

/** Counts what is in use, in all and by client, and gives nothing beyond either limit. */
export class ClientQuota {
  readonly #limits: QuotaLimits;
  /** Clients that use nothing are not in it. */
  readonly #byClient = new Map<string, number>();
  #used = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  /** Clients that use something. */
  get clients(): number {
    return this.#byClient.size;
  }

  /** @returns whether `client` has got one; then it is to be given back. */
  take(client: string): boolean {
    const used = this.#byClient.get(client) ?? 0;
    if (this.#used >= this.#limits.inAll || used >= this.#limits.perClient) return false;
    this.#used++;
    this.#byClient.set(client, used + 1);
    return true;
  }

  giveBack(client: string, count = 1): void {
    if (count === 0) return;
    const left = (this.#byClient.get(client) ?? 0) - count;
    if (left < 0) throw new RangeError('more was given back than taken');
    this.#used -= count;
    if (left === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, left);
  }
}

/**
 * Whom an address is counted with. A host has one IPv4 address and as many of IPv6 as it likes: those are counted by
 * the network of 64 bits that a site is given at least (RFC 6177 §2).
 *
 * @param address as sockets tell it; undefined for a connection that is gone.
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIPv4(mapped) ? mapped : networkOf(address);
}

/** The first four groups of an IPv6 address, of which `::` may leave some out. */
function networkOf(address: string): string {
  const [before = '', after] = address.replace(/%.*$/, '').split('::');
  const first = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const missing = after === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: missing }, () => '0'), ...last];
  return groups
    .slice(0, 4)
    .map(group => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
