import type { RequestDirectives } from '../http/request-directives.ts';
import {
  ageMs,
  type FreshnessInputs,
  type FreshnessRules,
  freshUntilMs,
  servedInBackgroundUntilMs,
  staleUntilMs,
} from './freshness.ts';

/**
 * Whether a record answers a request without a question to the store: it is fresh, and as young and fresh as the client asks
 * for (RFC 9111 §5.2.1). `max-age=0` asks for what the store has just said, like `no-cache`.
 *
 * @param asked undefined where the client asks for nothing, or is not heard
 */
export function isReusable(
  record: FreshnessInputs,
  rules: FreshnessRules,
  asked: RequestDirectives | undefined,
  nowMs: number,
): boolean {
  const leftMs = freshUntilMs(record, rules, nowMs) - nowMs;
  if (leftMs <= 0 || !asked) return leftMs > 0;
  return !asked.noCache && leftMs >= 1000 * (asked.minFreshS ?? 0) && !isTooOld(record, asked, nowMs);
}

/** Why a stale record answers a request, as `cache-status` names it. */
export type StaleUse = 'max-stale' | 'stale-while-revalidate';

/**
 * Why a record that is not fresh answers a request nevertheless; undefined where it does not. A client that limits the age
 * takes nothing stale unless it says so (RFC 9111 §5.2.1.1 to §5.2.1.3). Where it does, nobody has to revalidate.
 */
export function staleUse(
  record: FreshnessInputs,
  rules: FreshnessRules,
  asked: RequestDirectives | undefined,
  nowMs: number,
): StaleUse | undefined {
  if (asked && (asked.noCache || asked.minFreshS !== undefined || isTooOld(record, asked, nowMs)))
    return undefined;
  if (asked?.maxStaleS !== undefined) {
    const forMs = Math.min(1000 * asked.maxStaleS, rules.maxStaleMs);
    return staleUntilMs(record, rules, nowMs, forMs) > nowMs ? 'max-stale' : undefined;
  }
  if (asked?.maxAgeS !== undefined || servedInBackgroundUntilMs(record, rules, nowMs) <= nowMs)
    return undefined;
  return 'stale-while-revalidate';
}

function isTooOld(record: FreshnessInputs, { maxAgeS }: RequestDirectives, nowMs: number): boolean {
  return maxAgeS !== undefined && (maxAgeS === 0 || ageMs(record, nowMs) > 1000 * maxAgeS);
}
