import { z } from 'zod';

/** Limits of docs/cards.md §1 that apply to all forms. */

/** Our own limit; the service shows at most six. */
export const MAX_BUTTONS = 4;

/** A few words: a summary, or the label of a button. */
export const line = z.string().trim().min(1).max(200);

/** OpenUri and HttpPOST accept only http and https. */
export const webUrl = z.url({ protocol: /^https?$/, hostname: /./ });

/** An embedded picture, or one that the service can fetch. */
export const imageUrl = z.union([webUrl, z.string().regex(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/)]);
