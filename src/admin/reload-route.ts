import { z } from 'zod';
import { AdminError, type AdminRoute } from './admin-route.ts';
import { readJson, sendJson } from './json.ts';

/** A place in the configuration, such as `buckets.photos.cache.ttl`; values may be secrets and are not told. */
interface Difference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

interface Differences {
  /** What a reload takes over. */
  readonly changed: readonly Difference[];
  /** What changes with a restart only. */
  readonly needsRestart: readonly Difference[];
}

/** What came of a reload. Nothing has changed unless it is `reloaded`. */
export type ReloadOutcome =
  | (Differences & { readonly kind: 'reloaded'; readonly warnings: readonly string[] })
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Whether the file is wrong; otherwise the gateway could not serve with it. */
      readonly isInvalid: boolean;
    }
  /** The gateway was started without a file. */
  | { readonly kind: 'no-file' };

export interface ReloadCommands {
  readonly run: () => Promise<ReloadOutcome>;
  /**
   * @param config as another process of this version has read it, without functions, its secrets hidden
   * @param key that they were hidden with
   * @throws TypeError if it is none
   */
  readonly compare: (config: Readonly<Record<string, unknown>>, key: string) => Differences;
}

/** Ten thousand clients with their grants. */
const MAX_CONFIG_BYTES = 4 * 2 ** 20;

const comparison = z.strictObject({
  config: z.record(z.string(), z.unknown()),
  key: z.string({ error: 'a text' }),
});

/** `POST /api/reload` and, for `tidegate check --admin`, `POST /api/reload/compare`. */
export function reloadRoutes({ run, compare }: ReloadCommands): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/reload',
      async handle(_, response) {
        const outcome = await run();
        if (outcome.kind === 'no-file')
          throw new AdminError(409, 'NO_FILE', 'the gateway was started without a configuration file');
        if (outcome.kind === 'refused') {
          const [status, code] = outcome.isInvalid ? [422, 'INVALID_CONFIGURATION'] : [500, 'NOT_RELOADED'];
          throw new AdminError(Number(status), String(code), outcome.reason);
        }
        const { changed, needsRestart, warnings } = outcome;
        sendJson(response, 200, { changed, needsRestart, warnings });
      },
    },
    {
      method: 'POST',
      path: '/api/reload/compare',
      async handle(request, response) {
        const { config, key } = await readJson(request, comparison, MAX_CONFIG_BYTES);
        sendJson(
          response,
          200,
          compared(() => compare(config, key)),
        );
      },
    },
  ];
}

function compared(compare: () => Differences): Differences {
  try {
    return compare();
  } catch (error) {
    if (error instanceof TypeError)
      throw new AdminError(400, 'INVALID_BODY', 'config must be a whole configuration of this version');
    throw error;
  }
}
