import { deltaSeconds } from './cache-control.ts';

/**
 * The seconds that an Age field says. Of a list the first member counts; what is no number says nothing, which is 0 (RFC
 * 9111 §5.1).
 */
export function parseAge(field: string | undefined): number {
  const first = field?.split(',', 1)[0]?.trim();
  return first !== undefined && /^\d+$/.test(first) ? deltaSeconds(first) : 0;
}

/** When an answer came, and what it says of its age. Times in milliseconds since the epoch. */
export interface Arrival {
  /** When the request for it was sent. */
  readonly requestedMs: number;
  readonly receivedMs: number;
  /** `parseAge` of its Age field. */
  readonly ageS: number;
  /** Its Date; undefined where that is missing or invalid, or the clock of who sent it does not matter. */
  readonly dateMs: number | undefined;
}

/**
 * How old an answer was when it came, in milliseconds: the greater of what its Date and what its Age say (RFC 9111 §4.2.3,
 * corrected_initial_age). A Date in the future, by a clock that runs ahead, makes nothing younger. Age counts from when the
 * request was sent, since it may have been made of what was true then.
 */
export function initialAgeMs({ requestedMs, receivedMs, ageS, dateMs }: Arrival): number {
  const apparentAgeMs = dateMs === undefined ? 0 : Math.max(0, receivedMs - dateMs);
  const responseDelayMs = Math.max(0, receivedMs - requestedMs);
  return Math.max(apparentAgeMs, 1000 * ageS + responseDelayMs);
}
