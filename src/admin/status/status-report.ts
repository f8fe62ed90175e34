import type { LastMinute } from '../../alerts/engine/last-minute.ts';
import type { Trouble } from '../../alerts/engine/trouble.ts';
import { isFailedAttempt, isServerError } from '../../alerts/rules/attempts.ts';
import { hitResults, missResults, type Reads } from '../../alerts/rules/hit-ratio-drop.ts';
import type { BreakerState } from '../../backend/breaker/breaker-state.ts';
import { breakerStates } from '../../backend/breaker/breaker-word.ts';
import type { CredentialStatus } from '../../backend/credentials/credential-status.ts';
import type { MetricSnapshot } from '../../base/metric-snapshot.ts';
import { type CredentialReport, reportCredentials } from './credential-report.ts';
import { Measurements } from './measurements.ts';

/** Parts of the report that are not metrics. None of them is secret. */
export interface StatusFacts {
  readonly version: string;
  readonly startedMs: number;
  readonly nowMs: number;
  readonly gatewayUrl: string;
  /** The reasons why the gateway should get no requests at the moment; empty when it is ready. */
  readonly notReady: readonly string[];
  /** What is wrong although the gateway is ready. */
  readonly trouble: Omit<Trouble, 'critical'>;
  readonly lastMinute: LastMinute;
  /** The reads of the last minute by bucket. */
  readonly readsByBucket: ReadonlyMap<string, Reads>;
  readonly workers: readonly { readonly index: number; readonly state: string }[];
  readonly backends: readonly {
    readonly name: string;
    readonly type: string;
    readonly location: string;
    /** Undefined for credentials that do not change. */
    readonly credentials?: CredentialStatus | undefined;
  }[];
  readonly buckets: readonly { readonly name: string; readonly backend: string; readonly access: string }[];
  readonly links: StatusLinks;
}

/** Links of the page. */
export interface StatusLinks {
  /** The page on what to do about a rule; `{rule}` stands for the rule's name. */
  readonly runbook: string;
  /** The page of the built-in channel, if there is one. */
  readonly channel?: string;
}

/** The JSON of `/api/status`. Counters start at 0 with the process; rates are the difference between two requests. */
export interface StatusReport {
  readonly version: string;
  readonly startedAt: string;
  readonly uptimeS: number;
  readonly gateway: string;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** Whether one of the warnings is of an alert that fires, not only of one that is about to. */
  readonly firing: boolean;
  readonly lastMinute: LastMinute;
  readonly requests: {
    readonly total: number;
    readonly inFlight: number;
    readonly serverErrors: number;
    /** By the value of `x-cache`. */
    readonly byCache: Readonly<Record<string, number>>;
    /** The share of cacheable requests that needed no bytes from a store; null before the first. */
    readonly hitRatio: number | null;
  };
  readonly bytes: { readonly sent: number; readonly fromClients: number; readonly fromBackends: number };
  readonly residentBytes: number;
  /** Memory of the cache for each object, on average; null without any. */
  readonly objectBytes: number | null;
  readonly fillsInFlight: number;
  readonly cache: readonly {
    readonly tier: string;
    readonly bytes: number;
    readonly capacityBytes: number;
    readonly entries: number;
  }[];
  readonly backends: readonly {
    readonly name: string;
    readonly type: string;
    readonly location: string;
    /** Left out for credentials that do not change. */
    readonly credentials?: CredentialReport;
    /** The circuit breaker; left out for a backend that has none. */
    readonly breaker?: BreakerState['kind'];
    readonly requests: number;
    readonly errors: number;
    /** The share of failed requests in the last minute; null without any. */
    readonly lastMinute: number | null;
    readonly bytes: number;
  }[];
  readonly buckets: readonly {
    readonly name: string;
    readonly backend: string;
    readonly access: string;
    readonly requests: number;
    readonly bytes: number;
    /** The hit ratio of the last minute; null without reads. */
    readonly hitRatio: number | null;
  }[];
  readonly workers: readonly { readonly index: number; readonly state: string }[];
  readonly workerRestarts: number;
  readonly links: StatusLinks;
}

/** Builds the report from the facts and the merged metrics of all threads. */
export function statusReport(facts: StatusFacts, snapshot: MetricSnapshot): StatusReport {
  const measured = new Measurements(snapshot);
  const { version, startedMs, nowMs, gatewayUrl, notReady, workers, links, trouble, lastMinute } = facts;
  return {
    version,
    startedAt: new Date(startedMs).toISOString(),
    uptimeS: Math.floor((nowMs - startedMs) / 1_000),
    gateway: gatewayUrl,
    ready: notReady.length === 0,
    reasons: notReady,
    warnings: trouble.warnings,
    firing: trouble.isFiring,
    lastMinute,
    requests: requests(measured),
    bytes: {
      sent: measured.total('tidegate_response_bytes_total'),
      fromClients: measured.total('tidegate_request_bytes_total'),
      fromBackends: measured.total('tidegate_backend_bytes_total'),
    },
    residentBytes: measured.total('process_resident_memory_bytes'),
    objectBytes: measured.total('tidegate_cache_object_bytes') || null,
    fillsInFlight: measured.total('tidegate_fills_in_flight'),
    cache: tiers(measured),
    backends: backends(facts, measured),
    buckets: buckets(facts, measured),
    workers,
    workerRestarts: measured.total('tidegate_worker_restarts_total'),
    links,
  };
}

function requests(measured: Measurements): StatusReport['requests'] {
  const byCache = measured.by('tidegate_requests_total', 'cache');
  const sum = (outcomes: readonly string[]) =>
    outcomes.reduce((total, each) => total + (byCache.get(each) ?? 0), 0);
  const hits = sum(hitResults);
  return {
    total: measured.total('tidegate_requests_total'),
    inFlight: measured.total('tidegate_requests_in_flight'),
    serverErrors: measured.total('tidegate_requests_total', ({ status }) =>
      isServerError({ status: String(status) }),
    ),
    byCache: Object.fromEntries(byCache),
    hitRatio: hitRatio({ hits, all: hits + sum(missResults) }),
  };
}

function tiers(measured: Measurements): StatusReport['cache'] {
  const bytes = measured.by('tidegate_cache_bytes', 'tier');
  const entries = measured.by('tidegate_cache_entries', 'tier');
  return Array.from(measured.by('tidegate_cache_capacity_bytes', 'tier'), ([tier, capacityBytes]) => ({
    tier,
    bytes: bytes.get(tier) ?? 0,
    capacityBytes,
    entries: entries.get(tier) ?? 0,
  }));
}

function backends(facts: StatusFacts, measured: Measurements): StatusReport['backends'] {
  const asked = measured.by('tidegate_backend_requests_total', 'backend');
  const bytes = measured.by('tidegate_backend_bytes_total', 'backend');
  const states = measured.by('tidegate_backend_breaker_state', 'backend');
  const breakerOf = (name: string) => breakerStates[states.get(name) ?? -1];
  return facts.backends.map(({ credentials, ...backend }) => ({
    ...backend,
    ...(breakerOf(backend.name) && { breaker: breakerOf(backend.name) }),
    ...(credentials && { credentials: reportCredentials(credentials) }),
    requests: asked.get(backend.name) ?? 0,
    errors: measured.total(
      'tidegate_backend_requests_total',
      ({ backend: name, status }) => name === backend.name && isFailedAttempt({ status: String(status) }),
    ),
    lastMinute: facts.lastMinute.backends[backend.name]?.errorRatio ?? null,
    bytes: bytes.get(backend.name) ?? 0,
  }));
}

function buckets(facts: StatusFacts, measured: Measurements): StatusReport['buckets'] {
  const asked = measured.by('tidegate_requests_total', 'bucket');
  const bytes = measured.by('tidegate_response_bytes_total', 'bucket');
  return facts.buckets.map(bucket => ({
    ...bucket,
    requests: asked.get(labelOf(bucket.name)) ?? 0,
    bytes: bytes.get(labelOf(bucket.name)) ?? 0,
    hitRatio: hitRatio(facts.readsByBucket.get(labelOf(bucket.name))),
  }));
}

/** Buckets that the configuration does not name have one metric label. */
function labelOf(bucket: string): string {
  return bucket === '*' ? '_other' : bucket;
}

function hitRatio(reads: Reads | undefined): number | null {
  return reads && reads.all > 0 ? reads.hits / reads.all : null;
}
