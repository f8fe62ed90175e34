import { z } from 'zod';
import { choice, duration, FIELD_NAME, flag, listOf, map } from './scalars.ts';

const DAY_MS = 86_400_000;

const ORIGIN_TEXT = 'an origin such as https://app.example.com or https://*.example.com, or "*"';
const origin = z
  .string({ error: ORIGIN_TEXT })
  .regex(/^(?:\*|[a-z][a-z\d+.-]*:\/\/[a-z\d*._:[\]-]+)$/, { error: ORIGIN_TEXT });

const NAME_TEXT = 'the name of a header field, or "*"';
const NAMES_TEXT = 'names of header fields, such as ["*"]';
const fieldName = z
  .string({ error: NAME_TEXT })
  .regex(new RegExp(`^${FIELD_NAME}$`), { error: NAME_TEXT })
  .toLowerCase();

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'] as const;

/** CORS (Fetch standard) in the words of S3 and of CDNs. */
export const cors = map({
  allowOrigins: listOf(origin, 'origins, such as ["*"]').min(1, { error: 'at least one origin' }),
  allowMethods: listOf(choice(METHODS), 'methods')
    .min(1, { error: 'at least one method' })
    .default(['GET', 'HEAD']),
  allowHeaders: listOf(fieldName, NAMES_TEXT).default([]),
  exposeHeaders: listOf(fieldName, NAMES_TEXT).default([]),
  allowCredentials: flag().default(false),
  maxAge: duration(0, DAY_MS).optional().meta({ otherwise: 'what the browser takes, 5 seconds' }),
})
  .transform(({ maxAge, ...policy }) => ({ ...policy, ...(maxAge !== undefined && { maxAgeMs: maxAge }) }))
  .check(({ value, issues }) => {
    if (!value.allowCredentials) return;
    const forAll = { allowOrigins: value.allowOrigins, exposeHeaders: value.exposeHeaders };
    for (const [key, list] of Object.entries(forAll))
      if (list.includes('*'))
        issues.push({
          ...{ code: 'custom', path: [key], input: list },
          message: 'no "*" where allowCredentials is true: browsers do not take it',
        });
  });
