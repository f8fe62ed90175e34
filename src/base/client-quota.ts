import { isIPv4 } from 'node:net';

/** Limits on concurrent use. */
interface QuotaLimits {
  readonly inAll: number;
  readonly perClient: number;
}

/** Counts concurrent use, in total and per client, and refuses more than either limit. */
export class ClientQuota {
  #limits: QuotaLimits;
  /** Only clients with something in use. */
  readonly #byClient = new Map<string, number>();
  #used = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  /** Clients with something in use. */
  get clients(): number {
    return this.#byClient.size;
  }

  /** Whether the limit in total is reached. */
  get isFull(): boolean {
    return this.#used >= this.#limits.inAll;
  }

  /** Changes the limits; what is in use beyond them stays. */
  limit(limits: QuotaLimits): void {
    this.#limits = limits;
  }

  /** @returns whether the limits allowed it; if so, it must be given back */
  take(client: string): boolean {
    const used = this.#byClient.get(client) ?? 0;
    if (this.isFull || used >= this.#limits.perClient) return false;
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
 * The client that an address counts for. A host may have any number of IPv6 addresses, so these count by their /64
 * network, the smallest that a site is given (RFC 6177 §2).
 *
 * @param address as reported by the socket; undefined for a closed connection
 */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return '';
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIPv4(mapped) ? mapped : networkOf(address);
}

/** The first four groups of an IPv6 address, with `::` expanded. */
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
