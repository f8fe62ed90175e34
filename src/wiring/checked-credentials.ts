/** Part of the composition root of `tidegate check --connect`: the credentials that a check signs with. */
import { failureOf } from '../backend/credentials/credential-failure.ts';
import { describeSource } from '../backend/credentials/credential-source.ts';
import { providerOf } from '../backend/credentials/provide-credentials.ts';
import type { ProbeResult } from '../backend/probe-store.ts';
import type { StoreCredentials } from '../backend/s3/s3-store.ts';
import { systemClock } from '../base/clock.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';

/** What has credentials of its own: a store or a queue. */
type Signing = Pick<NonNullable<GatewayConfig['events']['queue']>, 'credentials' | 'region'>;

/** What to sign with, undefined where there is nothing, and what to tell about it. Never rejects. */
export async function checkedCredentials(
  { credentials, region }: Signing,
  signal: AbortSignal,
): Promise<{ readonly found: readonly ProbeResult[]; readonly credentials?: StoreCredentials }> {
  if (credentials.kind !== 'provided') return { found: [], credentials };
  const source = describeSource(credentials.source);
  const provide = providerOf(credentials.source, { region, clock: systemClock });
  try {
    const { expiresAtMs, ...keys } = await Promise.race([provide(signal), aborted(signal)]);
    return { found: [{ kind: 'signed', source, expiresAtMs }], credentials: { kind: 'static', ...keys } };
  } catch (error) {
    const { cause, text: why } = failureOf(error);
    return { found: [{ kind: 'unsigned', source, cause, why }] };
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
