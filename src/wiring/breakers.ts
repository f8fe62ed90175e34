/** Part of the composition root of a worker: the circuit breaker of each store. */
import { Breaker, type BreakerChange } from '../backend/breaker/breaker.ts';
import { allocateBreakers, type BreakerWords } from '../backend/breaker/breaker-word.ts';
import { QUESTION_LIMIT_MS } from '../backend/breaker/store-question.ts';
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

/** What a question may take beside its limit: the thread may have been blocked. */
const BESIDE_LIMIT_MS = 2_000;

/** The breaker of a store; undefined if it is turned off, or the backend has none. */
export function createBreaker(
  { name, backend, place }: BreakerOwner,
  shared: BreakerWords,
  { clock, meter, logger }: BreakerParts,
): Breaker | undefined {
  if (backend.type === 'embedded' || backend.breaker === false) return undefined;
  const { breaker: configured } = backend;
  // all backends without a place of their own have the last one: each of them gets memory that no other thread shares, so that
  // their states do not mix
  const isOwn = place.index < BACKEND_PLACES - 1;
  const breaker = new Breaker({
    settings: { ...configured, questionMs: QUESTION_LIMIT_MS + BESIDE_LIMIT_MS },
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

/** Tells when the breaker opens and closes. How often the backend was asked in vain in between is in the metrics alone. */
function logChange(
  logger: Logger,
  backend: string,
  { from, to, calls, failures }: BreakerChange,
  openMs: number,
) {
  const line = { backend, state: to };
  if (from === 'closed')
    logger.warn({ ...line, calls, failures, openMs }, 'the backend fails: no calls are sent to it');
  else if (to === 'closed') logger.warn(line, 'the backend answers again: calls are sent to it');
  else logger.debug(line, 'the backend is asked whether it answers');
}
