import type { ProbeResult } from '../backend/probe-store.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { undecidedBackends } from '../config/restricted-keys.ts';

/** Asks every store of a configuration; what was found out by the name of its backend. Embedded stores are left out. */
export type Connect = (config: GatewayConfig) => Promise<ReadonlyMap<string, ProbeResult>>;

/** Lines for the operator, and how the command ends: 1 for a store that does not answer, 2 for a wrong configuration. */
export interface ConnectReport {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

interface Finding {
  readonly text: string;
  readonly exitCode: 0 | 1 | 2;
}

const TO_FIND_OUT =
  'put an object "a/b" there and ask again, or ask the store for "./a/b" and "x/../a/b" by hand: keys is path where it answers with the object or 400, and exact where there is none';

/** Compares what stores are with what the configuration says of them. */
export function connectReport(
  config: GatewayConfig,
  results: ReadonlyMap<string, ProbeResult>,
): ConnectReport {
  const undecided = undecidedBackends(config);
  const findings = Object.entries(config.backends).map(([name, backend]): Finding => {
    const result = results.get(name);
    const found = result ? findingOf(result, backend, undecided.get(name)) : embedded;
    return { ...found, text: `backends.${name} ${found.text}` };
  });
  const codes = findings.map(({ exitCode }) => exitCode);
  return {
    lines: findings.map(({ text }) => text),
    exitCode: codes.includes(2) ? 2 : codes.includes(1) ? 1 : 0,
  };
}

const embedded: Finding = { text: 'is the embedded store: it keeps keys apart (exact)', exitCode: 0 };

function findingOf(result: ProbeResult, backend: BackendConfig, restriction: string | undefined): Finding {
  if (result.kind === 'unreachable') return { text: `cannot be reached: ${result.why}`, exitCode: 1 };
  if (result.kind === 'refused') {
    const said = result.code === undefined ? `status ${result.status}` : `${result.status} ${result.code}`;
    const text = `answers, and refuses to be asked as the gateway asks: ${said}; see its credentials, region and bucket`;
    return { text: `${text}. Whether it is exact or path cannot be told: ${TO_FIND_OUT}`, exitCode: 1 };
  }
  if (result.kind === 'unknown') {
    const text = `answers; whether it is exact or path cannot be told, since ${result.why}: ${TO_FIND_OUT}`;
    return { text, exitCode: restriction === undefined ? 0 : 2 };
  }
  return compared(result, backend.type === 's3' ? backend.keys : undefined, restriction);
}

function compared(
  result: Extract<ProbeResult, { kind: 'exact' | 'path' }>,
  configured: 'exact' | 'path' | undefined,
  restriction: string | undefined,
): Finding {
  const seen =
    result.kind === 'path'
      ? `is path: it takes ${JSON.stringify(result.alias)} for ${JSON.stringify(result.key)}, or refuses it`
      : `is exact: it has ${JSON.stringify(result.key)} under no other spelling`;
  if (configured === result.kind) return { text: `${seen}, as configured`, exitCode: 0 };
  if (configured === 'exact') {
    return {
      text: `${seen}; but keys holds exact, so that patterns and key prefixes can be passed: write path`,
      exitCode: 2,
    };
  }
  if (configured === 'path') {
    return { text: `${seen}; keys holds path, so that some keys are refused that it has apart`, exitCode: 0 };
  }
  const asked =
    restriction === undefined ? '' : `; ${restriction} restricts keys: write keys: ${result.kind}`;
  return { text: `${seen}${asked}`, exitCode: restriction === undefined ? 0 : 2 };
}
