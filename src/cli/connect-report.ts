import { inWords } from '../backend/cause-words.ts';
import type { ProbeResult } from '../backend/probe-store.ts';
import { bucketsAt } from '../config/bucket-places.ts';
import type { BackendConfig, GatewayConfig } from '../config/gateway-config.ts';
import { undecidedBackends } from '../config/restricted-keys.ts';
import type { KeyKind } from '../s3/path-key.ts';
import { credentialsFinding, type Finding, isOfCredentials } from './finding.ts';
import { queueFindings } from './queue-report.ts';

/** What there is to tell of a configuration's connections. */
export interface ProbeResults {
  /** What each store reported about each of its buckets, by backend name; embedded ones are not asked. */
  readonly backends: ReadonlyMap<string, readonly ProbeResult[]>;
  /** What the queue of events reported. */
  readonly queue: readonly ProbeResult[];
}

/** Queries every store of a configuration, and its queue. */
export type ProbeStores = (config: GatewayConfig) => Promise<ProbeResults>;

/** Output lines and exit code: 1 when a store does not answer, 2 for a wrong configuration. */
interface ConnectReport {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

type S3Backend = Extract<BackendConfig, { type: 's3' }>;
type WebOrigin = Extract<BackendConfig, { type: 'http' }>;
type Refusal = Extract<ProbeResult, { kind: 'refused' }>;
type Question = Extract<ProbeResult, { kind: 'questioned' }>;
type Answer = Exclude<ProbeResult, Refusal | { kind: 'signed' | 'unsigned' } | Question>;

/** What each code says of the credentials. */
const wrongCredentials: ReadonlyMap<string, string> = new Map([
  ['ExpiredToken', 'the session token has expired'],
  ['InvalidAccessKeyId', 'it does not know the access key'],
  ['InvalidToken', 'it does not take the session token'],
  ['SignatureDoesNotMatch', 'the signature is refused'],
]);

const wrongRegion: ReadonlySet<string> = new Set(['AuthorizationHeaderMalformed', 'PermanentRedirect']);

/** What to do where the store has no object whose spellings could be compared. */
const HOW_TO_TELL =
  'put an object "a/b" there and ask again, or ask the store for "./a/b" and "x/../a/b" by hand: keys is path where it answers with the object or 400, and exact where there is none';

/** Compares the stores with what the configuration says about them. */
export function connectReport(config: GatewayConfig, results: ProbeResults): ConnectReport {
  const undecided = undecidedBackends(config);
  const named = (name: string, found: readonly Finding[]) =>
    found.map(({ text, exitCode }) => ({ text: `${name} ${text}`, exitCode }));
  const { queue } = config.events;
  const findings = [
    ...Object.entries(config.backends).flatMap(([name, backend]) => {
      const probed = results.backends.get(name) ?? [];
      return named(`backends.${name}`, findingsOf(name, backend, probed, config, undecided.get(name)));
    }),
    ...(queue ? named('events.queue', queueFindings(queue, results.queue)) : []),
  ];
  const codes = findings.map(({ exitCode }) => exitCode);
  return {
    lines: findings.map(({ text }) => text),
    exitCode: codes.includes(2) ? 2 : codes.includes(1) ? 1 : 0,
  };
}

const embedded: Finding = { text: 'is the embedded store, which is exact', exitCode: 0 };

/** @param restriction the configuration key that restricts object keys although `keys` of the backend is not set */
function findingsOf(
  name: string,
  backend: BackendConfig,
  results: readonly ProbeResult[],
  config: GatewayConfig,
  restriction: string | undefined,
): readonly Finding[] {
  switch (backend.type) {
    case 's3':
      return storeFindings(name, backend, results, config, restriction);
    case 'http':
      return results.filter(isQuestion).flatMap(question => originFindings(backend, question));
    case 'embedded':
      return [embedded];
  }
}

/** Whether it can be reached, and whether the circuit breaker gets its answer: who may have what there is not ours to ask. */
function originFindings({ endpoint, breaker }: WebOrigin, question: Question): readonly Finding[] {
  const { how } = question;
  if (!isStatus(how)) return [{ text: `cannot be reached: ${inWords(how)} (${how})`, exitCode: 1 }];
  return [reachable(endpoint), ...(breaker === false ? [] : [questionFinding(question)])];
}

function reachable(endpoint: string): Finding {
  return { text: `at ${endpoint} is reachable`, exitCode: 0 };
}

/**
 * Whether there are credentials, whether the circuit breaker gets its answer, how the store distinguishes keys, then each
 * request that it refused.
 */
function storeFindings(
  name: string,
  backend: S3Backend,
  results: readonly ProbeResult[],
  config: GatewayConfig,
  restriction: string | undefined,
): readonly Finding[] {
  const refusals = results.filter(result => result.kind === 'refused');
  const answers = results.filter(isAnswer);
  const answer = mostInformative(answers);
  const hasAnswered = refusals.length > 0 || answers.some(({ kind }) => kind !== 'unreachable');
  return [
    ...results.filter(isOfCredentials).map(credentialsFinding),
    ...(hasAnswered ? [reachable(backend.endpoint)] : []),
    ...results.filter(isQuestion).map(questionFinding),
    ...(answer ? [answerFinding(answer, backend.keys, restriction)] : []),
    ...refusals.map(refusal => refusalFinding(refusal, name, backend, config)),
  ];
}

function isQuestion(result: ProbeResult): result is Question {
  return result.kind === 'questioned';
}

function isAnswer(result: ProbeResult): result is Answer {
  return result.kind !== 'refused' && !isQuestion(result) && !isOfCredentials(result);
}

function questionFinding({ asked, isAlive, how }: Question): Finding {
  const question = `the question of its circuit breaker, ${asked}`;
  if (isAlive) return { text: `answers ${question}, with ${how}`, exitCode: 0 };
  const why = isStatus(how) ? `it says ${how}` : `${inWords(how)} (${how})`;
  const text = `does not answer ${question}: ${why}. Once open, the breaker closes by that answer alone: see why, or write breaker: false for one that never answers it`;
  return { text, exitCode: 1 };
}

function isStatus(how: string): boolean {
  return /^\d+$/.test(how);
}

/** All buckets of a store distinguish keys alike, so one of its answers says enough. */
function mostInformative(answers: readonly Answer[]): Answer | undefined {
  return (
    answers.find(({ kind }) => kind === 'exact' || kind === 'path') ??
    answers.find(({ kind }) => kind === 'unreachable') ??
    answers[0]
  );
}

function answerFinding(
  answer: Answer,
  configured: KeyKind | undefined,
  restriction: string | undefined,
): Finding {
  if (answer.kind === 'unreachable')
    return {
      text: `cannot be reached: ${inWords(answer.cause)} (${answer.cause}; ${answer.why})`,
      exitCode: 1,
    };
  if (answer.kind === 'unknown') {
    const text = `answers; whether it is exact or path cannot be determined, since ${answer.why}: ${HOW_TO_TELL}`;
    return { text, exitCode: restriction === undefined ? 0 : 2 };
  }
  const key = JSON.stringify(answer.key);
  const observed =
    answer.kind === 'path'
      ? `is path: it treats ${JSON.stringify(answer.alias)} as ${key}, or refuses it`
      : `is exact: it knows ${key} under no other spelling`;
  return keysFinding(answer.kind, observed, configured, restriction);
}

/** Compares how the store distinguishes keys with `keys` of its backend. */
function keysFinding(
  kind: KeyKind,
  observed: string,
  configured: KeyKind | undefined,
  restriction: string | undefined,
): Finding {
  if (configured === kind) return { text: `${observed}, as configured`, exitCode: 0 };
  if (configured === 'exact') {
    const danger = 'keys is set to exact, so patterns and key prefixes can be bypassed: write path';
    return { text: `${observed}; but ${danger}`, exitCode: 2 };
  }
  if (configured === 'path')
    return { text: `${observed}; but keys is set to path, so some valid keys are refused`, exitCode: 0 };
  if (restriction === undefined) return { text: observed, exitCode: 0 };
  return { text: `${observed}; ${restriction} restricts keys: write keys: ${kind}`, exitCode: 2 };
}

function refusalFinding(
  refusal: Refusal,
  name: string,
  { endpoint }: S3Backend,
  config: GatewayConfig,
): Finding {
  const { bucket, asked, status, code } = refusal;
  const request = bucket === undefined ? asked : `${asked} of the bucket ${JSON.stringify(bucket)}`;
  const reply = code === undefined ? `status ${status}` : `${status} ${code}`;
  const advice = adviceFor(refusal, `backends.${name}`, keyOfName(bucket, name, config));
  return { text: `at ${endpoint} answers ${reply} to ${request}: ${advice}`, exitCode: 1 };
}

/** The configuration key that says what a bucket is called at a backend. */
function keyOfName(bucket: string | undefined, backend: string, config: GatewayConfig): string {
  const named = [...bucketsAt(backend, config)].find(({ place }) => place.bucket === bucket);
  return `buckets.${named?.name}.${named?.configured.backend === backend ? 'bucket' : 'fallbackBucket'}`;
}

/** What to correct after a refusal; `backendKey` and `nameKey` are configuration keys. */
function adviceFor(refusal: Refusal, backendKey: string, nameKey: string): string {
  const { status, code = '', bucket, isHead, region } = refusal;
  if (status === 404 && code === '' && !isHead)
    return `what answers is no store of this protocol, or not at this address (404 without an error code): correct ${backendKey}.endpoint`;
  if (bucket !== undefined && code === 'NoSuchBucket')
    return `create it, or name the one that is meant in ${nameKey}`;
  const wrong = wrongCredentials.get(code);
  if (wrong !== undefined) return `correct ${backendKey}.credentials: ${wrong}`;
  if (code === 'RequestTimeTooSkewed') return 'the clocks of this machine and of the store differ: set them';
  if (code === 'AuthorizationHeaderMalformed' && region !== undefined)
    return `correct ${backendKey}.region: the store expects ${region}`;
  if (wrongRegion.has(code) || status === 301)
    return `correct ${backendKey}.region and ${backendKey}.endpoint: the bucket is in ${region ?? 'another region'}`;
  if (status === 429 || code === 'SlowDown') return 'it limits requests at the moment: ask again later';
  if (status >= 500 && status !== 501)
    return 'it is in trouble itself, or what stands before it is: see its own state and logs, and ask again later';
  if (status !== 403) return `see endpoint, region, addressing and credentials of ${backendKey}`;
  return `let ${backendKey}.credentials list and read it. Otherwise it cannot be determined whether it is exact or path: ${HOW_TO_TELL}`;
}
