import type { Warm, WarmRequest } from '../../src/admin/warm-route.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { RunningConfig } from '../../src/wiring/running-config.ts';
import { warmEverywhere } from '../../src/wiring/warm.ts';
import { ManualClock } from './manual-clock.ts';

/** The procedures of a gateway's workers that a run calls. */
function answerOf(gateway: Gateway | undefined, name: string, payload: never): unknown {
  if (name === 'warm') return gateway?.warming.fetch(payload);
  return name === 'leaveWarm' ? gateway?.warming.leave(payload) : gateway?.keysBelow(payload);
}

/** Warms through the workers of a gateway. @param yaml a configuration that names its buckets */
export function warmThrough(gateways: readonly Gateway[], yaml: string): Warm {
  const pool = {
    states: () => gateways.map((_, index) => ({ index, state: 'up' as const })),
    call: async (index: number, name: string, payload: never) => answerOf(gateways[index], name, payload),
  };
  return warmEverywhere(new RunningConfig(parseConfig(yaml, {})), pool as never, new ManualClock());
}

/** All lines of a run. */
export async function linesOf(
  warm: Warm,
  request: Pick<WarmRequest, 'bucket' | 'what'> & Partial<WarmRequest>,
  signal = new AbortController().signal,
): Promise<object[]> {
  const lines: object[] = [];
  const run = warm({ from: undefined, concurrency: 2, rate: 0, ...request }, signal);
  for await (const line of run ?? []) lines.push(line);
  return lines;
}
