import { readTls } from '../server/tls/tls-material.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';

interface CertificateProblem {
  readonly path: readonly PropertyKey[];
  /** What is wrong with the file. */
  readonly why: string;
}

/** What was found in the files of the listeners' certificates. */
interface CertificateFindings {
  readonly problems: readonly CertificateProblem[];
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Reads the files of all certificates, as a start does.
 *
 * @param written the file before defaults were filled in
 */
export function listenerCertificates(
  { listen }: Pick<GatewayConfig, 'listen'>,
  written: unknown,
  nowMs: number,
): CertificateFindings {
  const problems: CertificateProblem[] = [];
  const warnings: ConfigWarning[] = [];
  for (const [at, address] of listen.entries()) {
    if (address.kind === 'unix' || !address.tls) continue;
    const place = Array.isArray(member(written, 'listen')) ? ['listen', at] : ['listen'];
    const pathOf = (index: number) => [...place, 'tls', ...(isTlsList(written, place) ? [index] : [])];
    const read = readTls(address.tls);
    if (read.kind === 'problems') {
      for (const { index, key, why } of read.problems) {
        const path = key === 'clientCa' ? [...place, key] : [...pathOf(index), key];
        problems.push({ path, why });
      }
      continue;
    }
    for (const [index, { expiresMs }] of read.material.certificates.entries()) {
      if (expiresMs > nowMs) continue;
      const consequence = `the certificate has expired (${new Date(expiresMs).toISOString()}), so clients refuse it`;
      warnings.push({ path: [...pathOf(index), 'cert'], consequence });
    }
  }
  return { problems, warnings };
}

/** One certificate may stand without a list. */
function isTlsList(written: unknown, place: readonly PropertyKey[]): boolean {
  const listener = place.reduce<unknown>((value, key) => member(value, key), written);
  return Array.isArray(member(listener, 'tls'));
}

function member(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
