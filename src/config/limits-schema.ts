import { integer, map, size } from './scalars.ts';

/** Limits on client requests; counts are per worker. */
export const limitsSchema = map({
  headers: size(2 ** 13, 2 ** 20).default(2 ** 15),
  url: size(2 ** 10, 2 ** 16).default(2 ** 13),
  requests: integer(1, 1_000_000).default(10_000),
  requestsPerAddress: integer(1, 1_000_000).default(1_000),
  requestsPerAccessKey: integer(1, 1_000_000).default(5_000),
  requestsPerConnection: integer(1, 100_000).default(4_000),
  connections: integer(1, 1_000_000).default(10_000),
  connectionsPerAddress: integer(1, 1_000_000).default(1_000),
}).transform(({ headers, url, ...counts }) => ({ headersBytes: headers, urlBytes: url, ...counts }));
