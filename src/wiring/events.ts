/** Part of the supervisor's composition root: change events of stores, and who acts on them. */
import { request } from 'undici';
import { AdminError } from '../admin/admin-route.ts';
import type { EventSenders } from '../admin/events/events-route.ts';
import type { EventEffects } from '../admin/events/take-events.ts';
import type { CounterCell, Family } from '../base/metrics.ts';
import type { ToldChanges } from '../gateway/operate/store-changes.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';

const CONFIRM_LIMIT_MS = 10_000;

export function eventSenders(running: RunningConfig): EventSenders {
  return {
    get token() {
      return running.current.admin.eventsToken;
    },
    hasBackend: name => Object.hasOwn(running.current.backends, name),
  };
}

/** @param onInvalidated called once changes have taken effect everywhere; the answer to who told of them does not wait for it */
export function eventEffects(
  pool: Pick<WorkerPool<WorkerControl>, 'callAll'>,
  counted: Family<CounterCell>,
  onInvalidated: (changes: ToldChanges) => void,
): EventEffects {
  return {
    async invalidate(changes) {
      // each raises the epochs, which all share: the configuration of one of them may be older than the event
      const known = await pool.callAll('invalidate', changes);
      // workers know the buckets
      if (known.length === 0) throw noWorker();
      onInvalidated(changes);
      return Math.max(...known);
    },
    confirm: askTopic,
    count: (result, events) => counted.cell(result).add(events),
  };
}

function noWorker(): AdminError {
  return new AdminError(503, 'NO_WORKER', 'no worker is up; send the events again', { 'retry-after': '1' });
}

/** Redirects are not followed: the address was checked, another would not be. */
async function askTopic(url: URL): Promise<void> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(CONFIRM_LIMIT_MS) });
  await body.dump();
  if (statusCode >= 300) throw new Error(`it answered ${statusCode}`);
}
