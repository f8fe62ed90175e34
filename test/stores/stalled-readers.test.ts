import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { bucket } from '../bench/store-command.ts';
import { StoreProcess } from '../bench/store-process.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { type Content, copyOf, holdsAt, patternContent } from '../support/stand-in/content.ts';

const mebibyte = 1_048_576;
const script = new URL('small-readers.py', import.meta.url).pathname;
const stalledReaders = 200;
const stalledObjects = 40;
const readOn = 12;
const probeRounds = 24;
const probeEveryMs = 250;
const headLimitMs = 2_000;

const contents = new Map<string, Content>();
const started: { stop(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.stop();
  contents.clear();
});

/** Clients with receive buffers of 8 KiB, in a process of their own. */
class SmallReaders {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  constructor(url: string, keys: readonly string[]) {
    const paths = keys.map(key => `/${bucket}/${key}`);
    this.#process = spawn('python3', [script, new URL(url).port, String(stalledReaders), '8192', ...paths]);
    this.#process.stderr.on('data', chunk => process.stderr.write(chunk));
    this.#lines = createInterface(this.#process.stdout);
  }

  line(): Promise<string> {
    return new Promise(resolve => this.#lines.once('line', resolve));
  }

  /** Has the first `count` read on; what each of them got. */
  async read(count: number): Promise<readonly Received[]> {
    const told = this.line();
    this.#process.stdin.write(`read ${count}\n`);
    return JSON.parse(await told);
  }

  stop(): Promise<void> {
    return new Promise(resolve => {
      if (this.#process.exitCode !== null) resolve();
      this.#process.once('close', () => resolve());
      this.#process.stdin.end();
    });
  }
}

interface Received {
  readonly path: string;
  readonly status: number;
  readonly promised: number;
  readonly bytes: number;
  readonly isCut: boolean;
  readonly sha256: string;
}

/** What a client that reads as fast as it can got for one GET on a connection of its own. */
interface Probe {
  readonly key: string;
  readonly round: number;
  readonly headMs: number;
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly isRight: boolean;
  readonly isWhole: boolean;
}

function probe(url: string, key: string, round = 0): Promise<Probe> {
  const content = contents.get(key);
  if (!content) throw new Error(`no object ${key}`);
  const { promise, resolve, reject } = Promise.withResolvers<Probe>();
  const startMs = performance.now();
  get(`${url}/${bucket}/${key}`, { agent: false }, answer => {
    const headMs = performance.now() - startMs;
    const { statusCode: status = 0, headers } = answer;
    let [at, isRight] = [0, true];
    answer.on('data', chunk => {
      if (status !== 200) return;
      isRight &&= holdsAt(content, at, chunk);
      at += chunk.length;
    });
    const isOver = () => {
      const isWhole = at === content.sizeBytes;
      resolve({ key, round, headMs, status, retryAfter: headers['retry-after'], isRight, isWhole });
    };
    answer.on('close', isOver);
    answer.on('error', isOver);
  }).on('error', reject);
  return promise;
}

/** How long an answer takes that needs neither memory nor store: what the machine is busy with is not the gateway's. */
function controlMs(url: string): Promise<number> {
  const startMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(`${url}/no-such-bucket/key`, { agent: false }, answer => {
    answer.resume();
    resolve(performance.now() - startMs);
  }).on('error', reject);
  return promise;
}

/** Of the controls that were under way while a probe of `round` might wait. */
function slowest(slownessMs: readonly number[], round: number): number {
  return Math.max(...slownessMs.slice(round, round + headLimitMs / probeEveryMs));
}

async function put(store: StoreProcess, key: string, sizeBytes: number): Promise<string> {
  const seed = contents.size;
  contents.set(key, patternContent(sizeBytes, seed));
  await store.put({ key, sizeBytes, seed });
  return key;
}

async function putMany(store: StoreProcess, count: number, name: string, sizeBytes: number) {
  const keys: string[] = [];
  for (let index = 0; index < count; index++) keys.push(await put(store, `${name}-${index}`, sizeBytes));
  return keys;
}

function wrongOf(received: readonly Received[]): readonly Received[] {
  return received.filter(({ path, status, promised, bytes, isCut, sha256 }) => {
    if (status === 503) return false;
    const content = contents.get(path.split('/').at(-1) ?? '');
    if (!content || status !== 200 || promised !== content.sizeBytes) return true;
    if (isCut === (bytes === promised)) return true;
    return (
      createHash('sha256')
        .update(copyOf(content, 0, bytes))
        .digest('hex') !== sha256
    );
  });
}

it.each([1, 2, 4])(
  '%d workers, 200 readers with receive buffers of 8 KiB that take nothing: others get a head or 503 in two seconds',
  async workers => {
    const store = await StoreProcess.start();
    started.push(store);
    const stalled = await putMany(store, stalledObjects, 'stalled', 16 * mebibyte);
    const small = await putMany(store, probeRounds, 'small', 4096);
    const large = await putMany(store, probeRounds, 'large', 8 * mebibyte);
    const hot = await putMany(store, 10, 'hot', 64 * 1024);
    const gateway = await GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: store.url } },
      buckets: { [bucket]: { backend: 'store', access: 'public', cache: { ttl: '1h' } } },
      memory: '64MiB',
      workers,
    });
    started.push(gateway);
    for (let time = 0; time < 5; time++) for (const key of hot) await probe(gateway.url, key);

    const readers = new SmallReaders(gateway.url, stalled);
    started.push(readers);
    await readers.line();
    const probes: Promise<Probe>[] = [];
    const controls: Promise<number>[] = [];
    for (let round = 0; round < probeRounds; round++) {
      for (const keys of [small, large, hot])
        probes.push(probe(gateway.url, keys[round % keys.length] ?? '', round));
      controls.push(controlMs(gateway.url));
      await wait(probeEveryMs);
    }
    const answers = await Promise.all(probes);
    const slownessMs = await Promise.all(controls);
    expect(answers.filter(({ headMs, round }) => headMs > headLimitMs + slowest(slownessMs, round))).toEqual(
      [],
    );
    expect(
      answers.filter(({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter)),
    ).toEqual([]);
    expect(answers.filter(({ status, isRight, isWhole }) => status === 200 && !(isRight && isWhole))).toEqual(
      [],
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(answers.length / 2);

    expect(wrongOf(await readers.read(readOn))).toEqual([]);
    await readers.stop();
    await expect
      .poll(async () => (await gateway.metrics()).total('requests_in_flight'), { timeout: 10_000 })
      .toBe(0);
    await expect
      .poll(async () => (await gateway.metrics()).total('fills_in_flight'), { timeout: 10_000 })
      .toBe(0);
    for (const key of [...large.slice(0, 4), ...hot])
      expect(await probe(gateway.url, key)).toMatchObject({ status: 200, isRight: true, isWhole: true });
  },
);
