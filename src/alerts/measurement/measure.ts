/** One thing a rule looks at: the samples of a family, added up over all labels but those of `by`. */
export interface Measure {
  readonly family: string;
  /** For a histogram, which of its samples. */
  readonly suffix?: '_bucket';
  /** A counter only grows, until a worker dies and takes its part along; a gauge is as it is. */
  readonly kind: 'counter' | 'gauge';
  readonly by: readonly string[];
}

/** Requests answered, by status and by what the cache made of them. */
export const requests: Measure = {
  family: 'tidegate_requests_total',
  kind: 'counter',
  by: ['status', 'cache'],
};

/** Time to the first byte of an answer, by what the cache made of the request. */
export const firstByteSeconds: Measure = {
  family: 'tidegate_request_first_byte_seconds',
  suffix: '_bucket',
  kind: 'counter',
  by: ['cache', 'le'],
};

/** Attempts at a backend; the status of one that ended without an answer is a word. */
export const backendAttempts: Measure = {
  family: 'tidegate_backend_requests_total',
  kind: 'counter',
  by: ['backend', 'status'],
};

export const backendRetries: Measure = {
  family: 'tidegate_backend_retries_total',
  kind: 'counter',
  by: ['backend'],
};

/** Errors that clients were told, by their code in the store's protocol. */
export const errorResponses: Measure = {
  family: 'tidegate_error_responses_total',
  kind: 'counter',
  by: ['bucket', 'code'],
};

/** Requests the gateway sent away for want of room of its own. */
export const shedRequests: Measure = { family: 'tidegate_requests_shed_total', kind: 'counter', by: [] };

export const evictions: Measure = { family: 'tidegate_cache_evictions_total', kind: 'counter', by: ['tier'] };

/** What a tier holds now. */
export const cacheEntries: Measure = { family: 'tidegate_cache_entries', kind: 'gauge', by: ['tier'] };

/** The worst thread's, since the sample before. */
export const eventLoopLagSeconds: Measure = {
  family: 'nodejs_eventloop_lag_p99_seconds',
  kind: 'gauge',
  by: [],
};

/** 1 while the state directory can be used, else 0. */
export const stateUsable: Measure = { family: 'tidegate_state_usable', kind: 'gauge', by: [] };

/** How often it became unusable. */
export const stateFailures: Measure = { family: 'tidegate_state_failures_total', kind: 'counter', by: [] };

export const workerRestarts: Measure = {
  family: 'tidegate_worker_restarts_total',
  kind: 'counter',
  by: [],
};
