import { storeFailures, uncountedOutcomes } from '../../backend/call-outcome.ts';
import { isNoticeName, type NoticeName } from './notice-table.ts';
import { isRuleName, type RuleName } from './rule-table.ts';

/**
 * Something to run. In commands, `ADMIN_URL` stands for the address of the admin port; the reader fills in FILE, BUCKET, KEY,
 * DIRECTORY and LOG.
 */
export interface RunbookStep {
  readonly kind: 'shell' | 'promql';
  /** What it shows, and what to look for. */
  readonly purpose: string;
  readonly text: string;
}

const shell = (purpose: string, text: string): RunbookStep => ({ kind: 'shell', purpose, text });
const promql = (purpose: string, text: string): RunbookStep => ({ kind: 'promql', purpose, text });

/** The share of requests to each backend that failed, counted as the rules count (`isFailedAttempt`). */
const failedShare = (window: string) =>
  `sum by (backend) (rate(tidegate_backend_requests_total{status=~"5..|${storeFailures.join('|')}",status!="501"}[${window}])) / sum by (backend) (rate(tidegate_backend_requests_total{status!~"${uncountedOutcomes.join('|')}"}[${window}]))`;

const askStores = shell(
  'Asks each store one question from here, and names what is at fault: the name, the connection, the certificate or the credentials.',
  'tidegate check --config FILE --connect',
);

const failedRequestLines = shell(
  'The failed requests in the log: the error code, and what was wrong with the store; storeSaid is its own error page.',
  `jq -c 'select(.status >= 500) | {time, status, code, failure, backend, cause, storeSaid, bucket, url}' LOG`,
);

const backendOutcomes = promql(
  `How requests to each backend end: a status, or ${storeFailures.join(', ')}; ${uncountedOutcomes.join(', ')} are none of the backend’s failures.`,
  'sum by (backend, status) (rate(tidegate_backend_requests_total[1m]))',
);

const backendLatency = promql(
  'How long each backend takes to answer (99th percentile, in seconds); compare with timeouts.firstByte.',
  'histogram_quantile(0.99, sum by (backend, le) (rate(tidegate_backend_first_byte_seconds_bucket[5m])))',
);

const backendCalls = promql(
  'Calls by state: many that wait mean too few connections or a slow store.',
  'sum by (backend, state) (tidegate_backend_calls)',
);

const breakerStates = promql(
  'The circuit breaker of each backend: 0 closed, 1 asks it whether it answers, 2 open: misses and writes are 503 at once.',
  'tidegate_backend_breaker_state',
);

const lastMinute = shell(
  'Each backend’s requests and failures of the last minute.',
  'curl -s ADMIN_URL/api/status | jq .lastMinute.backends',
);

const errorCodes = promql(
  'Error answers by code, and whether the gateway or the store decided.',
  'sum by (bucket, code, by) (rate(tidegate_error_responses_total[5m]))',
);

const certificateDays = promql(
  'Days until each certificate in use expires.',
  'tidegate_certificate_expiry_seconds / 86400',
);

const certificateUsable = promql(
  '1 where the files of a certificate were in order when they were last read, else 0.',
  'tidegate_certificate_usable',
);

const eventLoop = promql(
  'The lag of the busiest event loop, in seconds; above 0.1 this machine is the cause.',
  'nodejs_eventloop_lag_p99_seconds',
);

const explain = shell(
  'What the cache holds of one object, and how long it stays fresh.',
  'tidegate explain BUCKET KEY --admin ADMIN_URL',
);

/** What to run when a rule fires, the most telling first. The texts of a rule's cards are in its own file. */
const runbookSteps: Readonly<Record<RuleName | NoticeName, readonly RunbookStep[]>> = {
  backendUnreachable: [askStores, backendOutcomes, breakerStates, lastMinute],
  backendErrors: [backendOutcomes, failedRequestLines, askStores],
  backendErrorBurn: [
    promql('The share that fails, over an hour; compare with budget.', failedShare('1h')),
    backendOutcomes,
    failedRequestLines,
  ],
  backendErrorBudget: [
    promql('The share that fails, over a day; compare with budget.', failedShare('1d')),
    backendOutcomes,
  ],
  backendTimeouts: [
    backendLatency,
    promql(
      'Timeouts a second, by backend and operation.',
      'sum by (backend, operation) (rate(tidegate_backend_requests_total{status="timeout"}[5m]))',
    ),
    backendCalls,
  ],
  backendCredentials: [
    shell(
      'Where the credentials come from, until when they are valid, and why they cannot be refreshed.',
      "curl -s ADMIN_URL/api/status | jq '.backends[] | {name, credentials}'",
    ),
    shell(
      'Asks the source once more, from here, and tries what it gives.',
      'tidegate check --connect -c FILE',
    ),
    promql('How long they are still valid, in seconds.', 'tidegate_credentials_expiry_seconds'),
    promql(
      'Refreshes of the last hour, by outcome.',
      'sum by (backend, outcome) (increase(tidegate_credentials_refreshes_total[1h]))',
    ),
  ],
  retryStorm: [
    promql(
      'Retries a second, by reason.',
      'sum by (backend, reason) (rate(tidegate_backend_retries_total[1m]))',
    ),
    backendOutcomes,
  ],
  serverErrors: [
    failedRequestLines,
    errorCodes,
    promql(
      'Exceptions that should not happen; each has an error line in the log.',
      'increase(tidegate_request_faults_total[1h])',
    ),
  ],
  slowFirstByte: [
    promql(
      'The time to the first byte (99th percentile, in seconds), by cache result: are hits slow, or misses?',
      'histogram_quantile(0.99, sum by (cache, le) (rate(tidegate_request_first_byte_seconds_bucket[5m])))',
    ),
    backendLatency,
    eventLoop,
  ],
  hitRatioDrop: [
    promql(
      'Reads of each bucket by cache result.',
      'sum by (bucket, cache) (rate(tidegate_requests_total[10m]))',
    ),
    promql('Purges of the last hour.', 'sum by (kind) (increase(tidegate_purges_total[1h]))'),
    promql(
      'Evictions a second: is the cache too small?',
      'sum by (tier, reason) (rate(tidegate_cache_evictions_total[10m]))',
    ),
    explain,
  ],
  cacheThrash: [
    promql(
      'How long a tier keeps a block on average, in seconds.',
      'sum by (tier) (tidegate_cache_entries) / sum by (tier) (rate(tidegate_cache_evictions_total[5m]))',
    ),
    promql('How full each tier is.', 'tidegate_cache_bytes / tidegate_cache_capacity_bytes'),
  ],
  refusedSignatures: [
    promql(
      'The gateway’s own refusals, by code.',
      'sum by (code) (rate(tidegate_error_responses_total{by="gateway"}[5m]))',
    ),
    shell(
      'The refused requests in the log: who sent them, and why the signature was refused; caller is who signed correctly, but lacks the grant that reason names.',
      `jq -c 'select(.why or .status == 403) | {time, status, code, client, accessKey, why, caller, reason, url}' LOG`,
    ),
  ],
  archivedObjects: [
    shell(
      'The objects that are requested most.',
      `curl -s ADMIN_URL/api/alerts | jq '.alerts[] | select(.rule == "archivedObjects") | .subjects'`,
    ),
    promql(
      'Refused reads in each bucket.',
      'sum by (bucket) (increase(tidegate_error_responses_total{code="InvalidObjectState"}[15m]))',
    ),
  ],
  saturation: [
    promql(
      'Refused requests a second, by reason: memory, requests or stalled.',
      'sum by (reason) (rate(tidegate_requests_shed_total[1m]))',
    ),
    promql('Requests that wait for stores; compare with limits.requests.', 'tidegate_requests_waiting'),
    backendCalls,
  ],
  eventLoopLag: [
    eventLoop,
    promql('Processor time of the process, in cores.', 'rate(process_cpu_seconds_total[1m])'),
    promql('Requests a second.', 'sum(rate(tidegate_requests_total[1m]))'),
  ],
  restartLoop: [
    shell(
      'The last errors of each thread.',
      `jq -c 'select(.level == "error" or .level == "fatal") | {time, thread, msg, err}' LOG | tail -n 20`,
    ),
    promql('Worker restarts of the last ten minutes.', 'increase(tidegate_worker_restarts_total[10m])'),
    shell('Which workers are up.', 'curl -s ADMIN_URL/api/status | jq .workers'),
  ],
  eventsQueue: [
    shell(
      'Why the queue cannot be asked: the action, and the name of the error.',
      `jq -c 'select(.msg == "the queue of events cannot be asked") | {time, cause, action}' LOG | tail -n 5`,
    ),
    promql('Seconds since the queue has last answered.', 'tidegate_events_queue_last_poll_age_seconds'),
    promql(
      'Messages of the last ten minutes, by what became of them.',
      'sum by (outcome) (increase(tidegate_events_queue_messages_total[10m]))',
    ),
  ],
  certificateExpiry: [certificateDays, certificateUsable],
  certificateRenewal: [
    certificateDays,
    certificateUsable,
    shell(
      'Why new files could not be used.',
      `jq -c 'select((.msg // "") | startswith("the new certificate"))' LOG | tail -n 5`,
    ),
  ],
  stateDirectory: [
    shell('Room and rights of the directory (state.directory).', 'df -h DIRECTORY; ls -la DIRECTORY'),
    promql('1 while the directory can be used, else 0.', 'tidegate_state_usable'),
    shell('Cards that wait for each webhook.', 'curl -s ADMIN_URL/api/alerts | jq .webhooks'),
  ],
  logLines: [
    shell(
      'Why the file of the access log cannot be written.',
      `jq -c 'select(.msg == "the access log cannot be written") | {time, file, err}' LOG | tail -n 1`,
    ),
    shell('Room and rights of its directory.', 'df -h DIRECTORY; ls -la DIRECTORY'),
    promql('0 while that file cannot be written, else 1.', 'tidegate_access_log_usable'),
    promql(
      'Lines that were dropped in the last ten minutes.',
      'sum(increase(tidegate_log_dropped_lines_total[10m]))',
    ),
  ],
  configReload: [
    shell(
      'Why the reload was refused: the key, what it holds and what it may hold.',
      `jq -c 'select((.msg // "") | startswith("the configuration was not reloaded")) | .reason' LOG | tail -n 1`,
    ),
    shell(
      'Whether the file is right now, and what a reload would change.',
      'tidegate check -c FILE --admin ADMIN_URL',
    ),
    shell(
      'Reload the mended file.',
      "curl -s ADMIN_URL/api/reload -X POST -H 'content-type: application/json'",
    ),
    promql('0 after a refused reload.', 'tidegate_config_last_reload_successful'),
  ],
  started: [
    shell(
      'The last lines before the start: an error there is the reason.',
      `jq -c 'select(.level == "error" or .level == "fatal") | {time, thread, msg, err}' LOG | tail -n 20`,
    ),
    promql('Starts of the process, and its version.', 'changes(process_start_time_seconds[1h])'),
  ],
  stopped: [shell('Whether it runs again.', 'curl -s ADMIN_URL/readyz')],
  heartbeat: [
    shell('Whether the gateway answers, and is ready.', 'curl -s ADMIN_URL/readyz'),
    promql('Cards that wait to be posted.', 'tidegate_cards_waiting'),
  ],
};

/** What no rule watches: how writes fail, and what is left to do then. */
export const writeSteps: readonly RunbookStep[] = [
  shell(
    'Writes that were refused: reason names the grant that is missing, or says that there is no such key. Some header fields need one of their own (x-amz-acl needs PutObjectAcl), and so do a copy (its source) and the configuration of a bucket (for all keys).',
    `jq -c 'select(.status == 403 and .reason) | {time, operation, bucket, url, caller, reason}' LOG`,
  ),
  shell(
    'Uploads that were stuck: their clients sent less than 500 bytes a second for 20 s, so look at the network of the client.',
    `jq -c 'select(.code == "RequestTimeout") | {time, operation, bucket, url, caller, receivedBytes, durationMs}' LOG`,
  ),
  promql(
    'Calls by state: paused ones wait for a client, uploads for more of the body, reads until what was sent is taken.',
    'sum by (backend, state) (tidegate_backend_calls)',
  ),
  shell(
    'Writes of which nobody knows whether the store has carried them out: they failed at it, or were answered too late (after 60 s, or timeouts.firstByte where that is longer). The gateway does not repeat them; their clients decide.',
    `jq -c 'select(.status >= 500 and (.method == "PUT" or .method == "POST" or .method == "DELETE")) | {time, status, operation, bucket, url, caller, backend, cause}' LOG`,
  ),
  shell(
    'For a minute after such a write each read of the object asks the store. If the store carried it out even later, purge the object: else the old content is served until its ttl is over.',
    'tidegate purge BUCKET KEY --admin ADMIN_URL',
  ),
];

/** The steps of a rule; none for an unknown one. */
export function stepsOf(name: string): readonly RunbookStep[] {
  return isRuleName(name) || isNoticeName(name) ? runbookSteps[name] : [];
}
