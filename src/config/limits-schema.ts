import { z } from 'zod';
import { duration, integer, map, size } from './scalars.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The defaults for heads and bodies are those at which Apache's mod_reqtimeout regards a client as an attacker; the
 * slowest mobile networks are ten times as fast. Stores abort silent uploads after a similar time.
 */
const timeouts = map({
  headers: duration(SECOND_MS, 10 * MINUTE_MS).default(20 * SECOND_MS),
  body: duration(SECOND_MS, 10 * MINUTE_MS).default(20 * SECOND_MS),
  idle: duration(SECOND_MS, 24 * 60 * MINUTE_MS).default(5 * MINUTE_MS),
}).transform(({ headers, body, idle }) => ({ headersMs: headers, bodyMs: body, idleMs: idle }));

/** A lower rate than this would leave most responses of a client waiting for longer than clients wait. */
const LEAST_RATE_BYTES = 16 * 2 ** 10;

/** Bytes per second; 0: any. */
const rate = () =>
  size(0, 2 ** 40)
    .transform((bytes, context) => {
      if (bytes === 0 || bytes >= LEAST_RATE_BYTES) return bytes;
      context.issues.push({ code: 'custom', message: '0B for any rate, or at least 16KiB', input: bytes });
      return z.NEVER;
    })
    .default(0);

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
  connectionsPerAccessKey: integer(1, 1_000_000).default(5_000),
  timeouts: timeouts.prefault({}),
  minRate: size(0, 2 ** 30).default(500),
  ratePerAddress: rate(),
  ratePerAccessKey: rate(),
}).transform(({ headers, url, minRate, ratePerAddress, ratePerAccessKey, ...rest }) => ({
  headersBytes: headers,
  urlBytes: url,
  minRateBytes: minRate,
  ratePerAddressBytes: ratePerAddress,
  ratePerAccessKeyBytes: ratePerAccessKey,
  ...rest,
}));
