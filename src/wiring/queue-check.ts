/** Part of the composition root of `tidegate check --connect`: asks the queue that events of stores are taken from. */
import { QueueClient, QueueError } from '../admin/events/queue-client.ts';
import type { ProbeResult } from '../backend/probe-store.ts';
import { systemClock } from '../base/clock.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { checkedCredentials } from './checked-credentials.ts';

/** Obtains credentials where they have a source, then asks what takes nothing from the queue. Never rejects. */
export async function probeQueue(
  queue: NonNullable<GatewayConfig['events']['queue']>,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const { found, credentials } = await checkedCredentials(queue, signal);
  if (credentials === undefined) return found;
  const client = new QueueClient({ ...queue, credentials, clock: systemClock });
  try {
    await client.look(signal);
    return [...found, { kind: 'questioned', asked: QUESTION, isAlive: true, how: '200' }];
  } catch (error) {
    return [...found, resultOf(error, signal.aborted)];
  } finally {
    await client.close();
  }
}

const QUESTION = 'GetQueueAttributes';

function resultOf(error: unknown, isGivenUp: boolean): ProbeResult {
  if (!(error instanceof QueueError)) return { kind: 'unreachable', cause: 'FAULT', why: String(error) };
  const { status, code, message } = error;
  if (status === undefined) return { kind: 'unreachable', cause: isGivenUp ? 'TIMEOUT' : code, why: message };
  return {
    kind: 'refused',
    bucket: undefined,
    asked: QUESTION,
    status,
    code: /^STATUS_/.test(code) ? undefined : code,
  };
}
