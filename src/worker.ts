/** The composition root of a worker: what serves requests is built here, from what the supervisor hands over. */
import { createLogger } from './base/logger.ts';
import { Metrics } from './base/metrics.ts';
import { joinPool } from './server/worker-membership.ts';
import type { WorkerControl, WorkerSettings } from './thread-contracts.ts';

const pool = joinPool<WorkerSettings, undefined>();
const { index, settings } = pool.start;
const logger = createLogger({
  level: settings.config.log.level,
  sink: pool.logSink,
  fields: { thread: `worker-${index}` },
});
const metrics = new Metrics();
metrics.addRuntimeMetrics('worker');

const control: WorkerControl = { metrics: () => metrics.snapshot() };
pool.serveControl(control);
await pool.listen((_request, response) => {
  response.writeHead(503, { 'content-type': 'application/xml' });
  response.end('<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>ServiceUnavailable</Code></Error>');
}, logger);
