import { z } from 'zod';
import { choice, listOf, map, text } from './scalars.ts';

const NAME_TEXT = 'the name of a document such as index.html, without a slash';

/** As website endpoints of Amazon S3. */
export const website = map({
  index: z
    .string({ error: NAME_TEXT })
    .regex(/^(?!\.{1,2}$)[^/]{1,255}$/, { error: NAME_TEXT })
    .default('index.html'),
  error: text('the key of a document such as 404.html')
    .optional()
    .meta({ otherwise: 'errors of the store protocol; at a web origin, its own' }),
  errorFor: listOf(z.literal([403, 404], { error: '403 or 404' }), 'statuses, of 403 and 404').default([404]),
  trailingSlash: choice(['redirect', 'leave']).default('redirect'),
});
