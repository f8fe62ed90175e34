import type { ClientLimits } from '../../src/server/client-limits.ts';

/** Those of a configuration that names none. */
export const defaultLimits: ClientLimits = {
  headersBytes: 32 * 1024,
  requests: 10_000,
  requestsPerConnection: 4_000,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  timeouts: { headersMs: 20_000, bodyMs: 20_000, idleMs: 300_000 },
  minRateBytes: 500,
};
