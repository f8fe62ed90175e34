/** Part of the supervisor's composition root: the queue that events of stores are taken from, one reader for all workers. */
import { isDeepStrictEqual } from 'node:util';
import { QueueClient } from '../admin/events/queue-client.ts';
import type { QueueMeter } from '../admin/events/queue-meter.ts';
import { QueuePoller } from '../admin/events/queue-poller.ts';
import type { TakeEvents } from '../admin/events/take-events.ts';
import type { CredentialMeter } from '../backend/credentials/credential-meter.ts';
import { CredentialRefresher } from '../backend/credentials/credential-refresher.ts';
import { describeSource, type ProvidedCredentials } from '../backend/credentials/credential-source.ts';
import { HeldCredentials } from '../backend/credentials/held-credentials.ts';
import { providerOf } from '../backend/credentials/provide-credentials.ts';
import type { StoreCredentials } from '../backend/s3/s3-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';

interface QueueParts {
  readonly take: TakeEvents;
  readonly meter: QueueMeter;
  readonly credentialMeter: CredentialMeter;
  /** Takes credentials that were obtained to the log's redactor. */
  readonly learn: (owner: string, credentials: ProvidedCredentials) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

type QueueConfig = NonNullable<GatewayConfig['events']['queue']>;

/** In the place of a backend's name, where its credentials are told of; no backend can have it. */
const OWNER = 'events.queue';

/** The reader of one configuration. */
interface Reader {
  stop(): Promise<void>;
}

/** Reads the queue of the configuration in force, if it has one. */
export class EventsQueue {
  readonly #parts: QueueParts;
  #config: QueueConfig | undefined;
  #reader: Reader | undefined;
  /** The end of the readers before. */
  #ended: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** Reads the queue of `config` from now on; the one that is read already goes on being read. */
  use({ events: { queue } }: Pick<GatewayConfig, 'events'>): void {
    if (this.#isStopped || isDeepStrictEqual(queue, this.#config)) return;
    this.#end();
    this.#config = queue;
    if (queue) this.#reader = startReader(queue, this.#parts, this.#ended);
  }

  /** Resolves when no question waits any more and what was taken has been deleted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    await this.#ended;
  }

  #end(): void {
    if (this.#reader) this.#ended = Promise.all([this.#ended, this.#reader.stop()]);
    this.#reader = undefined;
  }
}

/** @param before what has to end first: there is one reader at a time */
function startReader(queue: QueueConfig, parts: QueueParts, before: Promise<unknown>): Reader {
  const { take, meter, credentialMeter, clock, logger } = parts;
  const { credentials, refresher } = credentialsOf(queue, parts);
  const poller = new QueuePoller({
    client: new QueueClient({ ...queue, credentials, clock }),
    backend: queue.backend,
    malformed: queue.malformed,
    random: Math.random,
    ...{ take, meter, clock, logger },
  });
  // the refresh resolves in any case, and is repeated where it has failed
  void Promise.all([before, refresher?.refresh()]).then(() => poller.start());
  return {
    async stop() {
      refresher?.stop();
      if (refresher) credentialMeter.forget(OWNER);
      await poller.stop();
    },
  };
}

interface QueueCredentials {
  readonly credentials: StoreCredentials;
  /** Undefined for those that do not change. */
  readonly refresher: CredentialRefresher | undefined;
}

function credentialsOf({ credentials, region }: QueueConfig, parts: QueueParts): QueueCredentials {
  if (credentials.kind !== 'provided') return { credentials, refresher: undefined };
  const { clock, logger, credentialMeter } = parts;
  const held = new HeldCredentials(undefined, accessKeyId => refresher.refused(accessKeyId));
  const refresher = new CredentialRefresher({
    ...{ backend: OWNER, source: describeSource(credentials.source), clock, logger, random: Math.random },
    provide: providerOf(credentials.source, { region, clock }),
    async hand(obtained) {
      parts.learn(OWNER, obtained);
      held.replace(obtained);
    },
    count: outcome => credentialMeter.count(OWNER, outcome),
  });
  credentialMeter.watch(OWNER, () => refresher.status());
  return { credentials: { kind: 'held', held }, refresher };
}
