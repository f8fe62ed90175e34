/**
 * The samples of `/api/status/history` that this page has received.
 * @typedef {import('../traffic-history.ts').TrafficReport} TrafficReport
 * @typedef {import('../traffic-history.ts').TrafficColumns} TrafficColumns
 */

const HOUR_MS = 3_600_000;
const MINUTE_S = 60;

/** @typedef {{ -readonly [Name in keyof TrafficColumns]: (number | null)[] }} Columns */

/** @returns {Columns} */
const noSamples = () => ({
  ...{ atMs: [], seconds: [], requests: [], errors: [], reads: [], hits: [] },
  ...{ sentBytes: [], storeBytes: [], receivedBytes: [], firstByteP50S: [], firstByteP99S: [] },
});

export class Traffic {
  /** The process that the samples are from. */
  #startedAt = '';
  #next = 0;
  #columns = noSamples();
  /** @type {Map<string | null, { reads: number[], hits: number[] }>} */
  #buckets = new Map();

  /** Where to continue asking. */
  get next() {
    return this.#next;
  }

  get length() {
    return this.#columns.atMs.length;
  }

  /**
   * Adds newer samples. If they are of another process, or their times are earlier because a clock was set, the page
   * has to begin anew: `add` returns false, and the next question is for all samples.
   * @param {TrafficReport} report
   */
  add({ startedAt, next, samples, buckets }) {
    const [first = Number.POSITIVE_INFINITY] = samples.atMs;
    const isSame =
      startedAt === this.#startedAt && next >= this.#next && first > (this.#columns.atMs.at(-1) ?? 0);
    if (this.#next > 0 && !isSame) {
      this.#forget();
      return false;
    }
    const before = this.length;
    for (const name of namesOf(this.#columns)) this.#columns[name].push(...samples[name]);
    for (const { name, reads, hits } of buckets) {
      const known = this.#buckets.get(name) ?? { reads: [], hits: [] };
      this.#buckets.set(name, known);
      // a bucket has no samples from before its first read
      fill(known, before);
      known.reads.push(...reads);
      known.hits.push(...hits);
    }
    for (const known of this.#buckets.values()) fill(known, this.length);
    this.#startedAt = startedAt;
    this.#next = next;
    this.#dropOld();
    return true;
  }

  /** Seconds since 1970. */
  times() {
    return this.#columns.atMs.map(atMs => (atMs ?? 0) / 1_000);
  }

  /**
   * @param {Exclude<keyof TrafficColumns, 'atMs'>} name
   * @returns {readonly (number | null)[]}
   */
  values(name) {
    return this.#columns[name];
  }

  /**
   * @param {'requests' | 'sentBytes' | 'storeBytes' | 'receivedBytes'} name
   * @returns {readonly (number | null)[]}
   */
  rates(name) {
    return ratios(this.#columns[name], this.#columns.seconds);
  }

  /**
   * @param {'errors' | 'hits'} part
   * @param {'requests' | 'reads'} whole
   * @returns {readonly (number | null)[]}
   */
  ratios(part, whole) {
    return ratios(this.#columns[part], this.#columns[whole]);
  }

  /**
   * The hit ratio of each bucket, those that are read most first.
   * @param {number} limit
   */
  hitRatios(limit) {
    return Array.from(this.#buckets, ([name, { reads, hits }]) => ({
      ...{ name, reads: sum(reads, 0) },
      values: ratios(hits, reads),
    }))
      .filter(({ reads }) => reads > 0)
      .sort((a, b) => b.reads - a.reads)
      .slice(0, limit);
  }

  /**
   * The mean rate of the last minute; null without samples.
   * @param {'requests' | 'sentBytes' | 'storeBytes' | 'receivedBytes'} name
   */
  lastMinute(name) {
    const { seconds } = this.#columns;
    let from = seconds.length;
    for (let covered = 0; from > 0 && covered < MINUTE_S; covered += seconds[from] ?? 0) from -= 1;
    return from === seconds.length ? null : sum(this.#columns[name], from) / sum(seconds, from);
  }

  #dropOld() {
    const oldMs = (this.#columns.atMs.at(-1) ?? 0) - HOUR_MS;
    const old = this.#columns.atMs.findIndex(atMs => (atMs ?? 0) >= oldMs);
    if (old <= 0) return;
    for (const name of namesOf(this.#columns)) this.#columns[name].splice(0, old);
    for (const { reads, hits } of this.#buckets.values()) {
      reads.splice(0, old);
      hits.splice(0, old);
    }
  }

  #forget() {
    this.#columns = noSamples();
    this.#buckets = new Map();
    this.#next = 0;
  }
}

/**
 * @param {Columns} columns
 * @returns {(keyof Columns)[]}
 */
function namesOf(columns) {
  return /** @type {(keyof Columns)[]} */ (Object.keys(columns));
}

/**
 * @param {{ reads: number[], hits: number[] }} bucket
 * @param {number} length
 */
function fill({ reads, hits }, length) {
  while (reads.length < length) reads.push(0);
  while (hits.length < length) hits.push(0);
}

/**
 * Null where there was nothing.
 * @param {readonly (number | null)[]} parts
 * @param {readonly (number | null)[]} wholes
 */
function ratios(parts, wholes) {
  return parts.map((part, index) => {
    const whole = wholes[index] ?? 0;
    return whole > 0 ? (part ?? 0) / whole : null;
  });
}

/**
 * @param {readonly (number | null)[]} values
 * @param {number} from
 */
function sum(values, from) {
  let total = 0;
  for (let index = from; index < values.length; index++) total += values[index] ?? 0;
  return total;
}
