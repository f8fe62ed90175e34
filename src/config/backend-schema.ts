import { isIP } from 'node:net';
import { z } from 'zod';
import { MOST_PROBES } from '../backend/breaker/breaker-word.ts';
import type { WebRules } from '../gateway/request/bucket.ts';
import { credentialsSchema } from './credentials-schema.ts';
import type { Environment } from './environment.ts';
import { amount, choice, duration, flag, integer, map, origin, share, size, text } from './scalars.ts';

const MINUTE_MS = 60_000;

/** The address of a store. */
const EXAMPLE = 'https://s3.eu-west-1.amazonaws.com';

const timeouts = map({
  connect: duration(1, 10 * MINUTE_MS).default(2_000),
  firstByte: duration(1, 10 * MINUTE_MS).default(10_000),
  idle: duration(1, 10 * MINUTE_MS).default(10_000),
}).transform(({ connect, firstByte, idle }) => ({
  connectMs: connect,
  firstByteMs: firstByte,
  idleMs: idle,
}));

/**
 * How many calls of a worker may wait for a connection to the store, and for how long while the store answers nothing.
 */
const queue = map({
  size: integer(0, 10_000).default(512),
  wait: duration(1, MINUTE_MS).default(2_000),
}).transform(({ size, wait }) => ({ size, waitMs: wait }));

const NAME_OF_STORE = 'the name in the certificate of the store, such as s3.example.test, and no address';

/** An address cannot be asked for (RFC 6066 §3): node:tls would refuse it for each request. */
const serverName = z
  .string({ error: NAME_OF_STORE })
  .regex(/^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/, { error: NAME_OF_STORE })
  .refine(name => isIP(name) === 0, { error: NAME_OF_STORE });

/** How the store's certificate is checked, and which one the gateway shows it. */
const tls = map({
  ca: text('the path of certificates of authorities in PEM form').optional(),
  cert: text('the path of a client certificate in PEM form').optional(),
  key: text('the path of its private key in PEM form').optional(),
  serverName: serverName.optional().meta({ otherwise: 'the host of the endpoint' }),
  insecureSkipVerify: flag().default(false),
}).check(({ value, issues }) => {
  const { cert, key } = value;
  if ((cert === undefined) === (key === undefined)) return;
  const [missing, other] = cert === undefined ? ['cert', 'key'] : ['key', 'cert'];
  issues.push({
    code: 'custom',
    path: [missing],
    message: `a path, since there is a ${other}`,
    input: undefined,
  });
});

/** When the store is suspected of failing, and what it takes until calls are sent to it again. */
const breaker = map({
  threshold: share().default(0.5),
  minRequests: integer(1, 100_000).default(20),
  window: duration(1_000, 10 * MINUTE_MS).default(10_000),
  open: duration(1, 10 * MINUTE_MS).default(5_000),
  probes: integer(1, MOST_PROBES).default(3),
}).transform(({ window, open, ...rest }) => ({ ...rest, windowMs: window, openMs: open }));

/** When a read is asked for a second time. */
const hedge = map({
  quantile: amount(0.5, 0.999).default(0.99),
  share: amount(0, 0.05, 'a share from 0 to 0.05').default(0.05),
});

const breakerOrNone = () =>
  z
    .union([z.literal(false), breaker], { error: 'settings of the circuit breaker, or false for none' })
    .prefault({});

/** How often the store is asked whether it answers. */
const probe = map({ every: duration(1_000, 60 * MINUTE_MS).default(10_000) }).transform(({ every }) => ({
  everyMs: every,
}));

const headerPrefix = () => choice(['x-amz-', 'x-store-']);

const s3 = (environment: Environment) =>
  map({
    type: z.literal('s3'),
    endpoint: origin(EXAMPLE),
    region: text('a region name').default('us-east-1'),
    addressing: choice(['path', 'virtual']).default('path'),
    headerPrefix: headerPrefix().default('x-amz-'),
    credentials: credentialsSchema(environment).default({ kind: 'none' }),
    keys: choice(['exact', 'path'])
      .optional()
      .meta({ otherwise: 'none; required where patterns or `keyPrefix` restrict keys' }),
    connections: integer(1, 10_000).default(128),
    queue: queue.prefault({}),
    timeouts: timeouts.prefault({}),
    minRate: size(0, 1024 ** 3).default(1024),
    tls: tls.optional(),
    hedge: hedge.optional(),
    probe: probe.optional(),
    fallback: text('the name of a backend').optional(),
    breaker: breakerOrNone(),
  }).transform(({ minRate, ...rest }) => ({ ...rest, minRateBytes: minRate }));

const embedded = map({
  type: z.literal('embedded'),
  directory: text('a directory'),
  headerPrefix: headerPrefix().default('x-store-'),
});

const NAME_OF_HOST = 'origin (that of the endpoint), client (that of the request), or a host name';

/** `Host` at a web origin. */
const originHost = z
  .string({ error: NAME_OF_HOST })
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?(?::\d{1,5})?$/, { error: NAME_OF_HOST })
  .transform((name): WebRules['host'] =>
    name === 'origin' || name === 'client' ? { kind: name } : { kind: 'fixed', name },
  );

const http = map({
  type: z.literal('http'),
  endpoint: origin('https://www.example.test', 'path (buckets have keyPrefix for that)'),
  host: originHost.prefault('origin'),
  forwarded: flag().default(false),
  connections: integer(1, 10_000).default(128),
  queue: queue.prefault({}),
  timeouts: timeouts.prefault({}),
  minRate: size(0, 1024 ** 3).default(1024),
  tls: tls.optional(),
  breaker: breakerOrNone(),
}).transform(({ minRate, ...rest }) => ({
  ...rest,
  minRateBytes: minRate,
  // of the ids that the gateway gives its answers
  headerPrefix: 'x-store-' as const,
}));

const types = choice(['s3', 'http', 'embedded']);

/** One store behind the gateway. The type is checked first, so that its error is not buried under others. */
export const backendSchema = (environment: Environment) =>
  z
    .looseObject({ type: types }, { error: 'a map that begins with type: s3, type: http or type: embedded' })
    .pipe(z.discriminatedUnion('type', [s3(environment), http, embedded]));
