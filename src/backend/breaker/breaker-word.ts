import { type BreakerState, initiallyClosed } from './breaker-state.ts';

/** The states of the breakers of all backends, one word each, shared by the threads of a process. */
export type BreakerWords = BigInt64Array<SharedArrayBuffer>;

export function allocateBreakers(stores: number): BreakerWords {
  return new BigInt64Array(new SharedArrayBuffer(stores * BigInt64Array.BYTES_PER_ELEMENT));
}

/** The states in the order of their numbers, which metrics show as well. */
export const breakerStates = ['closed', 'half-open', 'open'] as const satisfies BreakerState['kind'][];

/** From the low end: 2 bits for the kind, 8 for the address, 4 for the count, the rest for the time. */
const [ADDRESS_BIT, SUCCEEDED_BIT, TIME_BIT] = [2n, 10n, 14n];

/** Most questions that a word can count. */
export const MOST_PROBES = 15;

/** How many successive addresses of a backend are distinguished, see `encodeState`. */
const ADDRESSES = 256;

/**
 * Encodes a state as one word, so that threads can exchange it atomically.
 *
 * @param address number of the backend's address. After a reload has changed the address, the old state must not apply
 *   to the new store
 */
export function encodeState(state: BreakerState, address: number): bigint {
  const timeMs = Math.ceil(state.kind === 'closed' ? state.sinceMs : state.untilMs);
  const succeeded = state.kind === 'half-open' ? state.succeeded : 0;
  return (
    BigInt(breakerStates.indexOf(state.kind)) |
    (BigInt(address % ADDRESSES) << ADDRESS_BIT) |
    (BigInt(Math.min(succeeded, MOST_PROBES)) << SUCCEEDED_BIT) |
    (BigInt(timeMs) << TIME_BIT)
  );
}

/** The state in `word`; the initial state if the word is of another address. */
export function decodeState(word: bigint, address: number): BreakerState {
  if (partOf(word, ADDRESS_BIT, 0xffn) !== address % ADDRESSES) return initiallyClosed;
  const kind = breakerStates[partOf(word, 0n, 3n)] ?? 'closed';
  const timeMs = Number(word >> TIME_BIT);
  if (kind === 'closed') return { kind, sinceMs: timeMs };
  if (kind === 'open') return { kind, untilMs: timeMs };
  return { kind, untilMs: timeMs, succeeded: partOf(word, SUCCEEDED_BIT, 0xfn) };
}

function partOf(word: bigint, bit: bigint, mask: bigint): number {
  return Number((word >> bit) & mask);
}
