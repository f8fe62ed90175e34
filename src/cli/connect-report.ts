import type { ProbeResult } from '../backend/probe-store.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { undecidedBackends } from '../config/restricted-keys.ts';

/** What each store of a configuration reported about each of its buckets, by backend name; without embedded stores. */
export type ProbeResults = ReadonlyMap<string, readonly ProbeResult[]>;

/** Queries every store of a configuration. */
export type ProbeStores = (config: GatewayConfig) => Promise<ProbeResults>;

/** Output lines and exit code: 1 when a store does not answer, 2 for a wrong configuration. */
export interface ConnectReport {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

interface Finding {
  readonly text: string;
  readonly exitCode: 0 | 1 | 2;
}

interface CheckedBackend {
  readonly name: string;
  readonly backend: BackendConfig;
  /** The configuration key that restricts object keys while `keys` of this backend is not set. */
  readonly restriction: string | undefined;
}

type Refusal = Extract<ProbeResult, { kind: 'refused' }>;

const wrongCredentials: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
]);

const wrongRegion: ReadonlySet<string> = new Set(['AuthorizationHeaderMalformed', 'PermanentRedirect']);

const TO_FIND_OUT =
  'put an object "a/b" there and ask again, or ask the store for "./a/b" and "x/../a/b" by hand: keys is path where it answers with the object or 400, and exact where there is none';

/** Compares the stores with what the configuration says about them. */
export function connectReport(config: GatewayConfig, results: ProbeResults): ConnectReport {
  const undecided = undecidedBackends(config);
  const findings = Object.entries(config.backends).flatMap(([name, backend]): readonly Finding[] => {
    const checked = { name, backend, restriction: undecided.get(name) };
    const found = findingsOf(checked, results.get(name) ?? [], config);
    return found.map(({ text, exitCode }) => ({ text: `backends.${name} ${text}`, exitCode }));
  });
  const codes = findings.map(({ exitCode }) => exitCode);
  return {
    lines: findings.map(({ text }) => text),
    exitCode: codes.includes(2) ? 2 : codes.includes(1) ? 1 : 0,
  };
}

const embedded: Finding = { text: 'is the embedded store, which is exact', exitCode: 0 };

/** Findings about the store as a whole, then about each bucket that cannot be queried. */
function findingsOf(
  { name, backend, restriction }: CheckedBackend,
  results: readonly ProbeResult[],
  config: GatewayConfig,
): readonly Finding[] {
  if (backend.type !== 's3') return [embedded];
  const refusals = results.filter(result => result.kind === 'refused');
  const answers = results.filter(result => result.kind !== 'refused');
  const telling =
    answers.find(({ kind }) => kind === 'exact' || kind === 'path') ??
    answers.find(({ kind }) => kind === 'unreachable') ??
    answers[0];
  return [
    ...(telling ? [storeFinding(telling, backend.keys, restriction)] : []),
    ...refusals.map(refusal => refusalFinding(refusal, { name, backend, restriction }, config)),
  ];
}

function storeFinding(
  result: Exclude<ProbeResult, Refusal>,
  configured: 'exact' | 'path' | undefined,
  restriction: string | undefined,
): Finding {
  if (result.kind === 'unreachable') return { text: `cannot be reached: ${result.why}`, exitCode: 1 };
  if (result.kind === 'unknown') {
    const text = `answers; whether it is exact or path cannot be determined, since ${result.why}: ${TO_FIND_OUT}`;
    return { text, exitCode: restriction === undefined ? 0 : 2 };
  }
  return compared(result, configured, restriction);
}

function refusalFinding(
  refusal: Refusal,
  { name, backend }: CheckedBackend,
  { buckets }: GatewayConfig,
): Finding {
  const { bucket, asked, status, code } = refusal;
  const configured = Object.keys(buckets).find(
    each => buckets[each]?.backend === name && (buckets[each].bucket ?? each) === bucket,
  );
  const what = bucket === undefined ? asked : `${asked} of the bucket ${JSON.stringify(bucket)}`;
  const said = code === undefined ? `status ${status}` : `${status} ${code}`;
  const at = backend.type === 's3' ? backend.endpoint : '';
  const todo = remedy(refusal, `backends.${name}`, `buckets.${configured}`);
  return { text: `at ${at} answers ${said} to ${what}: ${todo}`, exitCode: 1 };
}

/** The advice for a store's error, naming the configuration keys to correct. */
function remedy({ status, code = '', bucket }: Refusal, backend: string, configured: string): string {
  if (bucket !== undefined && (code === 'NoSuchBucket' || (status === 404 && code === '')))
    return `create it, or name the one that is meant in ${configured}.bucket`;
  if (wrongCredentials.has(code)) return `correct ${backend}.credentials`;
  if (code === 'RequestTimeTooSkewed') return 'the clocks of this machine and of the store differ: set them';
  if (wrongRegion.has(code) || status === 301)
    return `correct ${backend}.region and ${backend}.endpoint: the bucket is in another region`;
  if (status !== 403) return `see endpoint, region, addressing and credentials of ${backend}`;
  return `let ${backend}.credentials list and read it. Otherwise it cannot be determined whether it is exact or path: ${TO_FIND_OUT}`;
}

function compared(
  result: Extract<ProbeResult, { kind: 'exact' | 'path' }>,
  configured: 'exact' | 'path' | undefined,
  restriction: string | undefined,
): Finding {
  const seen =
    result.kind === 'path'
      ? `is path: it treats ${JSON.stringify(result.alias)} as ${JSON.stringify(result.key)}, or refuses it`
      : `is exact: it knows ${JSON.stringify(result.key)} under no other spelling`;
  if (configured === result.kind) return { text: `${seen}, as configured`, exitCode: 0 };
  if (configured === 'exact') {
    return {
      text: `${seen}; but keys is set to exact, so patterns and key prefixes can be bypassed: write path`,
      exitCode: 2,
    };
  }
  if (configured === 'path') {
    return { text: `${seen}; but keys is set to path, so some valid keys are refused`, exitCode: 0 };
  }
  const asked =
    restriction === undefined ? '' : `; ${restriction} restricts keys: write keys: ${result.kind}`;
  return { text: `${seen}${asked}`, exitCode: restriction === undefined ? 0 : 2 };
}
