/** Part of the supervisor's composition root: reads again what events have told of, where rules say so. */
import { WarmQueue } from '../admin/events/warm-queue.ts';
import type { Metrics } from '../base/metrics.ts';
import { ownerOf } from '../cache/object-key.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { ToldChanges } from '../gateway/operate/store-changes.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';
import { fetched, workerFor } from './warm.ts';

type Workers = Pick<WorkerPool<WorkerControl>, 'call' | 'states'>;

/** Behind the events: whatever becomes of it, what was cached has been invalidated. */
export class ChangeWarming {
  readonly #running: RunningConfig;
  readonly #pool: Workers;
  readonly #queue: WarmQueue;

  constructor(running: RunningConfig, pool: Workers, metrics: Metrics) {
    this.#running = running;
    this.#pool = pool;
    const objects = metrics.counter(
      'tidegate_events_warming_objects_total',
      'Objects that were to be read again after an event, by what became of it.',
      ['outcome'],
    );
    this.#queue = new WarmQueue({
      warm: (order, hash) => fetched(order, ownerAmong(pool, hash), pool),
      count: outcome => objects.cell(outcome).add(),
    });
    const waiting = metrics
      .gauge('tidegate_events_warming_waiting', 'Objects that wait to be read again after an event.')
      .cell();
    metrics.onSnapshot(() => waiting.set(this.#queue.waiting));
  }

  /** Has the objects read again that rules name. Called when what is cached of them has been invalidated in all workers. */
  told({ backend, changes }: ToldChanges): void {
    const written = changes.filter(({ isWritten }) => isWritten);
    if (written.length > 0 && isWarming(this.#running.current)) void this.#add({ backend, changes: written });
  }

  /** See `WarmQueue.stop`. */
  stop(): void {
    this.#queue.stop();
  }

  /** A worker answers in the order in which it is asked, so no more of these questions wait than events are taken at a time. */
  async #add(changes: ToldChanges): Promise<void> {
    try {
      this.#queue.add(await this.#pool.call(workerFor(this.#pool, 0), 'objectsToWarm', changes));
    } catch {
      // the worker has died: who reads these objects next asks the store
    }
  }
}

/** Another worker would have the bytes come to it as well, where nobody wants them. */
function ownerAmong(pool: Workers, hash: number): number {
  const states = pool.states();
  const owner = ownerOf(hash, states.length);
  return states[owner]?.state === 'up' ? owner : workerFor(pool, hash);
}

/** Most gateways have no such rule, and ask no worker. */
function isWarming({ buckets }: GatewayConfig): boolean {
  return Object.values(buckets).some(({ rules }) => rules.some(({ onChange }) => onChange === 'warm'));
}
