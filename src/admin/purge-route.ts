import { z } from 'zod';
import { AdminError, type AdminRoute } from './admin-route.ts';
import { readJson, sendJson } from './json.ts';

/** What is to be forgotten; `soft` keeps it as stale instead. */
export type PurgeRequest = { readonly soft: boolean } & (
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'tag'; readonly tag: string }
);

/** What came of it. The purge holds already, also where counting goes on. */
export type PurgeOutcome =
  | { readonly kind: 'purged'; readonly objects: number; readonly bytes: number }
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown-bucket' }
  | { readonly kind: 'not-built'; readonly part: string };

export type Purge = (request: PurgeRequest) => Promise<PurgeOutcome>;

const FORMS =
  'one of {"bucket","key"}, {"bucket","prefix"}, {"bucket"} or {"tag"}, each with "soft": true where that is meant';

const name = z.string({ error: 'a text' }).min(1, { error: 'a text that is not empty' });
const soft = z.boolean({ error: 'true or false' }).default(false);

const purgeBody = z.union(
  [
    z
      .strictObject({ bucket: name, key: name, soft })
      .transform(body => ({ kind: 'object' as const, ...body })),
    z
      .strictObject({ bucket: name, prefix: name, soft })
      .transform(body => ({ kind: 'prefix' as const, ...body })),
    z.strictObject({ bucket: name, soft }).transform(body => ({ kind: 'bucket' as const, ...body })),
    z.strictObject({ tag: name, soft }).transform(body => ({ kind: 'tag' as const, ...body })),
  ],
  { error: `the body must be ${FORMS}` },
);

/** `POST /api/purge`: effective before the answer. */
export function purgeRoute(purge: Purge): AdminRoute {
  return {
    method: 'POST',
    path: '/api/purge',
    async handle(request, response) {
      const asked = await readJson(request, purgeBody);
      const outcome = await purge(asked);
      if (outcome.kind === 'unknown-bucket') {
        throw new AdminError(404, 'UNKNOWN_BUCKET', 'no bucket of this name is configured');
      }
      if (outcome.kind === 'not-built') {
        throw new AdminError(501, 'NOT_BUILT', `purging by ${outcome.part} is not built yet`);
      }
      const { kind, ...counted } = outcome;
      sendJson(response, 200, kind === 'pending' ? { counted: 'pending' } : counted);
    },
  };
}
