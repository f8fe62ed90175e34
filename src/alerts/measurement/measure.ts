/** A metric that rules use: the samples of a family, summed over all labels except `by`. */
export interface Measure {
  readonly family: string;
  /** Selects the samples of a histogram. */
  readonly suffix?: '_bucket';
  /** A counter only grows, except when a worker dies and its part is lost; a gauge can have any value. */
  readonly kind: 'counter' | 'gauge';
  readonly by: readonly string[];
}

/** Answered requests, by status and cache result. */
export const requests: Measure = {
  family: 'tidegate_requests_total',
  kind: 'counter',
  by: ['status', 'cache'],
};

/** Answered requests, by bucket too. */
export const requestsByBucket: Measure = {
  family: 'tidegate_requests_total',
  kind: 'counter',
  by: ['bucket', 'status', 'cache'],
};

/** Body bytes sent to clients. */
export const sentBytes: Measure = { family: 'tidegate_response_bytes_total', kind: 'counter', by: [] };

/** Body bytes received from clients. */
export const receivedBytes: Measure = { family: 'tidegate_request_bytes_total', kind: 'counter', by: [] };

/** Body bytes received from backends. */
export const backendBytes: Measure = { family: 'tidegate_backend_bytes_total', kind: 'counter', by: [] };

/** Time to first byte, by cache result. */
export const firstByteSeconds: Measure = {
  family: 'tidegate_request_first_byte_seconds',
  suffix: '_bucket',
  kind: 'counter',
  by: ['cache', 'le'],
};

/** Time until the head of a backend's answer. */
export const backendFirstByteSeconds: Measure = {
  family: 'tidegate_backend_first_byte_seconds',
  suffix: '_bucket',
  kind: 'counter',
  by: ['backend', 'le'],
};

/** Attempts at a backend; an attempt without a response has a word as status. */
export const backendAttempts: Measure = {
  family: 'tidegate_backend_requests_total',
  kind: 'counter',
  by: ['backend', 'status'],
};

/** Failures of a backend, by the name of the cause. */
export const backendFailures: Measure = {
  family: 'tidegate_backend_failures_total',
  kind: 'counter',
  by: ['backend', 'cause'],
};

export const backendRetries: Measure = {
  family: 'tidegate_backend_retries_total',
  kind: 'counter',
  by: ['backend'],
};

/** The circuit breaker of a backend: 0 closed, 1 half-open, 2 open. */
export const backendBreaker: Measure = {
  family: 'tidegate_backend_breaker_state',
  kind: 'gauge',
  by: ['backend'],
};

/** 1 while there are valid credentials for a backend, else 0. */
export const credentialsUsable: Measure = {
  family: 'tidegate_credentials_usable',
  kind: 'gauge',
  by: ['backend'],
};

/** For how long the credentials of a backend cannot be refreshed. */
export const credentialsFailing: Measure = {
  family: 'tidegate_credentials_failing_seconds',
  kind: 'gauge',
  by: ['backend'],
};

/** How long the credentials of a backend are still valid. */
export const credentialsExpiry: Measure = {
  family: 'tidegate_credentials_expiry_seconds',
  kind: 'gauge',
  by: ['backend'],
};

/** How long ago the queue of change events has last answered; 0 where there is none. */
export const eventsQueueAgeSeconds: Measure = {
  family: 'tidegate_events_queue_last_poll_age_seconds',
  kind: 'gauge',
  by: [],
};

/** Error responses, by S3 error code. */
export const errorResponses: Measure = {
  family: 'tidegate_error_responses_total',
  kind: 'counter',
  by: ['bucket', 'code'],
};

/**
 * Error responses, by whose verdict they are. A key that a caller may not know to be missing is not the gateway's refusal:
 * it is answered with AccessDenied too, but the verdict is the store's.
 */
export const errorResponsesBySource: Measure = {
  family: 'tidegate_error_responses_total',
  kind: 'counter',
  by: ['code', 'by'],
};

/** Requests refused because the gateway has no capacity. */
export const shedRequests: Measure = { family: 'tidegate_requests_shed_total', kind: 'counter', by: [] };

export const evictions: Measure = { family: 'tidegate_cache_evictions_total', kind: 'counter', by: ['tier'] };

/** The entries in each tier. */
export const cacheEntries: Measure = { family: 'tidegate_cache_entries', kind: 'gauge', by: ['tier'] };

/** The highest lag of any thread since the previous sample. */
export const eventLoopLagSeconds: Measure = {
  family: 'nodejs_eventloop_lag_p99_seconds',
  kind: 'gauge',
  by: [],
};

/** Seconds until a certificate of the listener expires. */
export const certificateExpirySeconds: Measure = {
  family: 'tidegate_certificate_expiry_seconds',
  kind: 'gauge',
  by: ['file'],
};

/** 1 where the files of a certificate were in order when they were last read, else 0. */
export const certificateUsable: Measure = {
  family: 'tidegate_certificate_usable',
  kind: 'gauge',
  by: ['file'],
};

/** 1 while the state directory is usable, else 0. */
export const stateUsable: Measure = { family: 'tidegate_state_usable', kind: 'gauge', by: [] };

/** 0 while the file of the access log cannot be written, else 1. */
export const accessLogUsable: Measure = {
  family: 'tidegate_access_log_usable',
  kind: 'gauge',
  by: ['file'],
};

/** Lines of the log and the access log that were not written. */
export const droppedLogLines: Measure = {
  family: 'tidegate_log_dropped_lines_total',
  kind: 'counter',
  by: [],
};

/** 1 unless the last reload of the configuration was refused. */
export const reloadSucceeded: Measure = {
  family: 'tidegate_config_last_reload_successful',
  kind: 'gauge',
  by: [],
};

/** How often the state directory became unusable. */
export const stateFailures: Measure = { family: 'tidegate_state_failures_total', kind: 'counter', by: [] };

export const workerRestarts: Measure = {
  family: 'tidegate_worker_restarts_total',
  kind: 'counter',
  by: [],
};
