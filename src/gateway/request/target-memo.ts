/**
 * Longer ones are not memoised. A bucket and the longest key, percent-encoded, and the name of a host (RFC 1035 §2.3.4)
 * are shorter. From 16 384 characters on, V8's string hash depends on the length alone (`String::kMaxHashCalcLength`), so
 * look-ups of such strings of equal length would degrade to comparing them all.
 */
export const URL_LENGTH_LIMIT = 4_096;

/** Limits of the memo: number of targets and their heap cost, half of each per generation. */
const TARGETS_LIMIT = 10_000;
const LIMIT_BYTES = 8 * 1024 * 1024;
/** Estimated heap cost of an entry, and of the map of a host, without strings. */
const ENTRY_BYTES = 512;
const HOST_BYTES = 512;

/**
 * Remembers a value for each request target: a URL at a host. Clients choose both, so the memo is bounded in number and
 * bytes. It has two generations: when the younger is full, the older one is dropped. A look-up therefore changes nothing,
 * and builds no string of host and URL.
 */
export class TargetMemo<Value> {
  #younger = new Generation<Value>();
  #older = new Generation<Value>();

  find(host: string, url: string): Value | undefined {
    return this.#younger.hosts.get(host)?.get(url) ?? this.#older.hosts.get(host)?.get(url);
  }

  /** @param costBytes heap cost of the strings of `value` */
  add(host: string, url: string, value: Value, costBytes: number): void {
    if (this.#younger.isFull) {
      this.#older = this.#younger;
      this.#younger = new Generation();
    }
    this.#younger.add(host, url, value, costBytes);
  }
}

class Generation<Value> {
  /** The values of each host, by URL. */
  readonly hosts = new Map<string, Map<string, Value>>();
  #count = 0;
  #costBytes = 0;

  get isFull(): boolean {
    return this.#count >= TARGETS_LIMIT / 2 || this.#costBytes >= LIMIT_BYTES / 2;
  }

  add(host: string, url: string, value: Value, costBytes: number): void {
    let urls = this.hosts.get(host);
    if (!urls) {
      urls = new Map();
      this.hosts.set(host, urls);
      this.#costBytes += HOST_BYTES + host.length;
    }
    urls.set(url, value);
    this.#count++;
    this.#costBytes += ENTRY_BYTES + url.length + costBytes;
  }
}
