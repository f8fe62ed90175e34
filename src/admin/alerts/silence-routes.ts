import { z } from 'zod';
import { StateUnsavedError } from '../../alerts/persistent-state.ts';
import { alertNames } from '../../alerts/rules/rule-description.ts';
import { readSilenceRequest } from '../../alerts/silences/silence-request.ts';
import type { Silences } from '../../alerts/silences/silences.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { readJson, sendJson } from '../json.ts';
import { silenceReport } from './alert-routes.ts';

interface SilenceRoutesOptions {
  readonly silences: Silences;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `/api/silences`: GET lists active silences, POST creates one, DELETE with `?id=` ends one. */
export function silenceRoutes({ silences, clock, logger }: SilenceRoutesOptions): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/silences',
      handle: (_request, response) => sendJson(response, 200, silences.active().map(silenceReport)),
    },
    {
      method: 'POST',
      path: '/api/silences',
      async handle(request, response) {
        const verdict = readSilenceRequest(await readJson(request, z.unknown()), clock.nowMs(), alertNames);
        if (verdict.kind === 'refused') throw new AdminError(400, 'INVALID_SILENCE', verdict.reason);
        const silence = saved(() => silences.add(verdict.request));
        logger.info({ silence: silenceReport(silence) }, 'silenced');
        sendJson(response, 201, silenceReport(silence));
      },
    },
    {
      method: 'DELETE',
      path: '/api/silences',
      handle(request, response) {
        const id = new URL(request.url ?? '/', 'http://admin').searchParams.get('id');
        if (!id) throw new AdminError(400, 'INVALID_QUERY', 'the parameter id is missing');
        const silence = saved(() => silences.remove(id));
        if (!silence) throw new AdminError(404, 'UNKNOWN_SILENCE', 'no silence in force has this id');
        logger.info({ silence: silenceReport(silence) }, 'the silence was ended');
        sendJson(response, 200, silenceReport(silence));
      },
    },
  ];
}

/** Answers 503 when a silence could not be saved; it is not created then. */
function saved<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof StateUnsavedError) throw new AdminError(503, error.code, error.message);
    throw error;
  }
}
