import { type BreakerState, initiallyClosed } from './breaker-state.ts';

/** The states of the breakers of all backends, one word each, shared by the threads of a process. */
export type BreakerWords = BigInt64Array<SharedArrayBuffer>;

export function allocateBreakers(stores: number): BreakerWords {
  return new BigInt64Array(new SharedArrayBuffer(stores * BigInt64Array.BYTES_PER_ELEMENT));
}

/** In the order of their numbers, in metrics too. */
export const breakerStates = ['closed', 'half-open', 'open'] as const satisfies BreakerState['kind'][];

/** From the low end: 2 bits for the kind, 8 for the address, 4 for the count, the rest for the time. */
const [ADDRESS_BIT, SUCCEEDED_BIT, TIME_BIT] = [2n, 10n, 14n];

/** Most questions that a word can count. */
export const MOST_PROBES = 15;

/** How many addresses of one backend are told apart, see `encodeState`. */
const ADDRESSES = 256;

/**
 * A state as one word, so that threads can exchange it in one step.
 *
 * @param address counts the addresses that a backend has had: after a reload, the state of one says nothing of another
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

/** The state in `word`; the initial one where it is of another address. */
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
