import { z } from 'zod';
import { accessLogSchema } from './access-log-schema.ts';
import { alertSchema } from './alert-schema.ts';
import { backendSchema } from './backend-schema.ts';
import { bucketSchema, withGrants } from './bucket-schema.ts';
import { clientSchema } from './client-schema.ts';
import { crossCheck } from './cross-checks.ts';
import type { Environment } from './environment.ts';
import { eventsSchema } from './events-schema.ts';
import { limitsSchema } from './limits-schema.ts';
import { listenSchema } from './listen-schema.ts';
import {
  choice,
  duration,
  flag,
  host,
  integer,
  listOf,
  map,
  named,
  notBuilt,
  port,
  size,
  text,
} from './scalars.ts';
import { tracingSchema } from './tracing-schema.ts';

const name = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const bucketName = /^(?:\*|\/|[A-Za-z0-9][A-Za-z0-9._-]{0,254})$/;
const domainName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

const admin = map({
  host: host().default('127.0.0.1'),
  port: port().default(9090),
  names: listOf(text('a host name'), 'host names').default([]),
  token: text('a bearer token')
    .optional()
    .meta({ otherwise: 'none; required where `host` is no loopback address' }),
  eventsToken: text('a token').optional().meta({ otherwise: 'none: that of the admin port, if any' }),
  unreadyOnCritical: flag().default(false),
});

const workers = z.union([z.literal('auto'), integer(1, 256)], {
  error: 'auto, or a whole number from 1 to 256',
});

const shutdown = map({
  delay: duration(0, 300_000).default(0),
  limit: duration(0, 3_600_000).default(25_000),
}).transform(({ delay, limit }) => ({ delayMs: delay, limitMs: limit }));

/** The smallest size that can be configured. */
export const LEAST_CACHE_BYTES = 2 ** 24;

const cache = map({
  memory: map({ size: size(LEAST_CACHE_BYTES, 2 ** 42).default(2 ** 29) })
    .prefault({})
    .transform(({ size }) => ({ sizeBytes: size })),
  disk: notBuilt('the disk tier'),
  shared: notBuilt('the shared tier'),
}).transform(({ memory }) => ({ memory }));

const log = map({
  level: choice(['debug', 'info', 'warn', 'error']).default('info'),
  access: accessLogSchema,
});

/** The schema of the file: every key, its allowed values and, for error messages, their description. */
export const gatewaySchema = (environment: Environment, asksForKeys = true) =>
  map({
    listen: listenSchema.prefault({}),
    admin: admin.prefault({}),
    domain: z
      .string({ error: 'a domain name in lower case' })
      .regex(domainName, { error: 'a domain name in lower case' })
      .optional(),
    workers: workers.default(1),
    shutdown: shutdown.prefault({}),
    state: map({ directory: text('a directory').default('./tidegate-state') }).prefault({}),
    backends: named(name, 'a name of letters, digits, "_" and "-"', backendSchema(environment)).default({}),
    buckets: named(
      bucketName,
      'the name of a bucket, "*" for every other, or "/" for all paths',
      bucketSchema,
    ).default({}),
    events: eventsSchema(environment).prefault({}),
    clients: listOf(clientSchema, 'clients').default([]),
    cache: cache.prefault({}),
    limits: limitsSchema.prefault({}),
    alerts: alertSchema.prefault({}),
    log: log.prefault({}),
    tracing: tracingSchema.optional(),
  })
    .check(({ value, issues }) => {
      for (const { path, allowed, held } of crossCheck(value, asksForKeys)) {
        issues.push({ code: 'custom', path: [...path], message: allowed, input: held });
      }
    })
    .transform(config => {
      const buckets = Object.entries(config.buckets).map(
        ([name, bucket]) => [name, withGrants(bucket)] as const,
      );
      return { ...config, buckets: Object.fromEntries(buckets) };
    });
