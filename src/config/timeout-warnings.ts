import { WRITE_ANSWER_MS } from '../backend/write-answer-limit.ts';
import { readingActions } from '../s3/reading-actions.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { formatPath } from './problems.ts';
import { formatDuration } from './units.ts';

const PATH = ['limits', 'timeouts', 'idle'];

/** Warns of connections that are closed as idle while their requests wait for a store. */
export function* timeoutWarnings(config: GatewayConfig): Generator<ConfigWarning> {
  const { backends, limits } = config;
  const { idleMs } = limits.timeouts;
  if (idleMs <= WRITE_ANSWER_MS && mayBeWritten(config)) {
    const awaited = formatDuration(WRITE_ANSWER_MS);
    const consequence = `a connection is closed without an answer when its write waits for that long, and the write may happen all the same: stores may take ${awaited} to answer one`;
    yield { path: PATH, consequence };
  }
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type === 'embedded' || backend.timeouts.firstByteMs < idleMs) continue;
    const firstByte = formatDuration(backend.timeouts.firstByteMs);
    const consequence = `a connection is closed without an answer when its request waits for that long for ${formatPath(['backends', name])}, which has ${firstByte} (timeouts.firstByte)`;
    yield { path: PATH, consequence };
  }
}

function mayBeWritten({ buckets, clients }: GatewayConfig): boolean {
  const grants = [
    ...Object.values(buckets).flatMap(bucket => bucket.anonymous),
    ...clients.flatMap(client => client.allow),
  ];
  return grants.some(({ actions }) => actions.some(action => !readingActions.has(action)));
}
