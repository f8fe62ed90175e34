/** Part of the composition root of a worker: the circuit breaker of each store. */
import { Breaker, type BreakerChange } from '../backend/breaker/breaker.ts';
import { allocateBreakers, type BreakerWords } from '../backend/breaker/breaker-word.ts';
import type { StoreMeter } from '../backend/store-meter.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { BackendConfig } from '../config/gateway-config.ts';
import { BACKEND_PLACES, type BackendPlace } from './backend-places.ts';

interface BreakerOwner {
  readonly name: string;
  readonly backend: BackendConfig;
  readonly place: BackendPlace;
}

interface BreakerParts {
  readonly clock: Clock;
  readonly meter: StoreMeter;
  readonly logger: Logger;
}

/** What a call takes beside the time to its first byte: repeats, and the slack of the watch. */
const BESIDE_FIRST_BYTE_MS = 5_000;

/** The breaker of a store; undefined for one that has none. */
export function createBreaker(
  { name, backend, place }: BreakerOwner,
  shared: BreakerWords,
  { clock, meter, logger }: BreakerParts,
): Breaker | undefined {
  if (backend.type !== 's3' || backend.breaker === false) return undefined;
  const { timeouts, breaker: configured } = backend;
  // the last place is shared by all backends that have none of their own: their states must not mix
  const isOwn = place.index < BACKEND_PLACES - 1;
  const breaker = new Breaker({
    settings: {
      ...configured,
      probeMs: timeouts.connectMs + timeouts.firstByteMs + BESIDE_FIRST_BYTE_MS,
    },
    ...(isOwn ? { words: shared, index: place.index } : { words: allocateBreakers(1), index: 0 }),
    address: place.changes,
    clock,
    changed: change => {
      meter.breakerChanged(name, change);
      logChange(logger, name, change, configured.openMs);
    },
  });
  meter.watchBreaker(name, breaker);
  return breaker;
}

function logChange(logger: Logger, backend: string, { to, calls, failures }: BreakerChange, openMs: number) {
  const line = { backend, state: to };
  if (to === 'open')
    logger.warn({ ...line, calls, failures, openMs }, 'the backend fails: it is not asked for a while');
  else if (to === 'half-open') logger.warn(line, 'the backend is tried again');
  else logger.warn(line, 'the backend is asked again');
}
