import type { GatewayConfig } from './gateway-config.ts';
import type { ConfigWarning } from './grant-warnings.ts';
import { formatDuration } from './units.ts';

/** Warns of connections that are closed as idle while their requests wait for a store. */
export function* timeoutWarnings({
  backends,
  limits,
}: Pick<GatewayConfig, 'backends' | 'limits'>): Generator<ConfigWarning> {
  const { idleMs } = limits.timeouts;
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type !== 's3' || backend.timeouts.firstByteMs < idleMs) continue;
    const firstByte = formatDuration(backend.timeouts.firstByteMs);
    const consequence = `a connection is closed without an answer when its request waits for that long for backends.${name}, which has ${firstByte} (timeouts.firstByte)`;
    yield { path: ['limits', 'timeouts', 'idle'], consequence };
  }
}
