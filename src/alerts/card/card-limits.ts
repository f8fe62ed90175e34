import { z } from 'zod';

/** Limits of docs/cards.md §1 that hold for every form. */

/** Our own limit on buttons; the service shows six at most. */
export const MAX_BUTTONS = 4;

/** A few words: a summary, or what stands on a button. */
export const line = z.string().trim().min(1).max(200);

/** OpenUri and HttpPOST lead to http and https only. */
export const webUrl = z.url({ protocol: /^https?$/, hostname: /./ });

/** A picture of our own, or one that the service can fetch. */
export const imageUrl = z.union([webUrl, z.string().regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)]);
