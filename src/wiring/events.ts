/** Part of the supervisor's composition root: change events of stores, and who acts on them. */
import { request } from 'undici';
import { AdminError } from '../admin/admin-route.ts';
import type { EventSenders } from '../admin/events/events-route.ts';
import { SigningCertificates } from '../admin/events/signing-certificates.ts';
import type { EventEffects } from '../admin/events/take-events.ts';
import { verifyMessage } from '../admin/events/verify-message.ts';
import type { Clock } from '../base/clock.ts';
import type { CounterCell, Family } from '../base/metrics.ts';
import type { ToldChanges } from '../gateway/operate/store-changes.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';

const CONFIRM_LIMIT_MS = 10_000;

/** A certificate, with those above it, has a few KiB. */
const MAX_CERTIFICATE_BYTES = 32 * 1024;
const CERTIFICATE_LIMIT_MS = 5_000;

/** @param counted of events, see `eventEffects` */
export function eventSenders(
  running: RunningConfig,
  clock: Clock,
  counted: Family<CounterCell>,
): EventSenders {
  const certificates = new SigningCertificates({ fetch: fetchCertificate, clock });
  const verifyFrom = async (topics: readonly string[], envelope: unknown) => {
    try {
      return await verifyMessage(envelope, { topics, certificates, clock });
    } catch (error) {
      counted.cell('refused').add();
      throw error;
    }
  };
  return {
    get verify() {
      const { sns } = running.current.events;
      return sns && ((envelope: unknown) => verifyFrom(sns.topics, envelope));
    },
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

/** Redirects are not followed, as in `askTopic`. Rejects also where more comes, or nothing in time. */
export async function fetchCertificate(url: string): Promise<string> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(CERTIFICATE_LIMIT_MS) });
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`it answered ${statusCode}`);
  }
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_CERTIFICATE_BYTES) throw new Error(`it has more than ${MAX_CERTIFICATE_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Redirects are not followed: the address was checked, another would not be. */
async function askTopic(url: URL): Promise<void> {
  const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(CONFIRM_LIMIT_MS) });
  await body.dump();
  if (statusCode >= 300) throw new Error(`it answered ${statusCode}`);
}
