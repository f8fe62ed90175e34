import { z } from 'zod';
import { FIELD_NAME, map, named, share, text } from './scalars.ts';

const ENDPOINT_TEXT =
  'the address of a collector for OTLP over HTTP, such as http://127.0.0.1:4318, without query or credentials';

/** The address of a collector; the path of the signal is put behind it. */
const endpoint = z.string({ error: ENDPOINT_TEXT }).refine(
  value => {
    const url = URL.parse(value);
    if (!url || !/^https?:$/.test(url.protocol)) return false;
    return (
      [url.username, url.password, url.search, url.hash].every(part => part === '') && !/[?#]$/.test(value)
    );
  },
  { error: ENDPOINT_TEXT },
);

const fieldValue = text('the value of a header field').regex(/^[\x20-\x7e\t]+$/, {
  error: 'the value of a header field, of ASCII characters',
});

/** Where spans are sent, and of which share of the requests that belong to no trace yet. */
export const tracingSchema = map({
  endpoint,
  sample: share().default(0.01),
  headers: named(new RegExp(`^${FIELD_NAME}$`), 'the name of a header field', fieldValue).default({}),
});
