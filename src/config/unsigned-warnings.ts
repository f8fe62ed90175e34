import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';

/**
 * Warns of stores, and of a queue, that are asked without a signature although the file does not say so: most refuse that,
 * and who forgot the credentials looks for the fault elsewhere.
 *
 * @param written the file before defaults were filled in
 */
export function* unsignedWarnings(
  { backends, events }: Pick<GatewayConfig, 'backends' | 'events'>,
  written: unknown,
): Generator<ConfigWarning> {
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type !== 's3') continue;
    if (member(member(member(written, 'backends'), name), 'credentials') !== undefined) continue;
    const consequence =
      'requests to the store are not signed; write none if it is one that anybody may read, or its credentials';
    yield { path: ['backends', name, 'credentials'], consequence };
  }
  if (events.queue && member(member(member(written, 'events'), 'queue'), 'credentials') === undefined) {
    const consequence =
      'questions to the queue are not signed; write none if anybody may read and delete its messages, or its credentials';
    yield { path: ['events', 'queue', 'credentials'], consequence };
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
