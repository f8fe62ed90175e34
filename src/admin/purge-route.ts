import { z } from 'zod';
import { AdminError, type AdminRoute } from './admin-route.ts';
import { readJson, sendJson } from './json.ts';

/** What to purge; `soft` marks it as stale instead of removing it. */
export type PurgeRequest = { readonly soft: boolean } & (
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'tag'; readonly tag: string }
);

/** What came of a purge, which is effective by then; `pending`: of too many to be counted, memory is given back by and by. */
export type PurgeOutcome =
  | { readonly kind: 'purged'; readonly objects: number; readonly bytes: number }
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown-bucket' }
  /** The store may treat the key as another one, so it is never cached; `problem` says why. */
  | { readonly kind: 'alias'; readonly problem: string };

export type Purge = (request: PurgeRequest) => Promise<PurgeOutcome>;

const FORMS =
  'the body must be {"bucket","key"}, {"bucket","prefix"}, {"bucket"} or {"tag"}, each with "soft": true where that is meant';

const name = z.string({ error: 'a text' }).min(1, { error: 'a text that is not empty' }).optional();

const purgeBody = z
  .strictObject(
    {
      bucket: name,
      key: name,
      prefix: name,
      tag: name,
      soft: z.boolean({ error: 'true or false' }).default(false),
    },
    { error: FORMS },
  )
  .transform((body, context): PurgeRequest => {
    const request = requestOf(body);
    if (request) return request;
    context.issues.push({ code: 'custom', message: FORMS, input: body });
    return z.NEVER;
  });

interface Named {
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
  readonly tag?: string | undefined;
  readonly soft: boolean;
}

/** Undefined for combinations without a meaning. */
function requestOf({ bucket, key, prefix, tag, soft }: Named): PurgeRequest | undefined {
  const narrower = [key, prefix].filter(each => each !== undefined).length;
  if (tag !== undefined)
    return bucket === undefined && narrower === 0 ? { kind: 'tag', tag, soft } : undefined;
  if (bucket === undefined || narrower > 1) return undefined;
  if (key !== undefined) return { kind: 'object', bucket, key, soft };
  return prefix === undefined ? { kind: 'bucket', bucket, soft } : { kind: 'prefix', bucket, prefix, soft };
}

/** `POST /api/purge`: effective before the response is sent. */
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
      if (outcome.kind === 'alias') throw new AdminError(400, 'KEY_MAY_MEAN_ANOTHER', outcome.problem);
      const { kind, ...counted } = outcome;
      sendJson(response, 200, kind === 'pending' ? { counted: 'pending' } : counted);
    },
  };
}
