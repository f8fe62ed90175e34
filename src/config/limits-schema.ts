import { map, size } from './scalars.ts';

/** What one client may ask of the gateway. */
export const limitsSchema = map({
  headers: size(2 ** 13, 2 ** 20).default(2 ** 15),
  url: size(2 ** 10, 2 ** 16).default(2 ** 13),
}).transform(({ headers, url }) => ({ headersBytes: headers, urlBytes: url }));
