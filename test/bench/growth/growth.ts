import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { GatewayProcess } from '../../support/gateway-process.ts';
import { loadCore, pinned } from '../contenders/contender.ts';
import { atMost, exactly, type Finding, orientation, tableOf } from '../finding.ts';
import { kibibyte, type Lab, mebibyte } from '../lab.ts';
import { generateLoad } from '../load.ts';
import { costOf, cpuSeconds, residentBytes } from '../process-cost.ts';
import { bucket } from '../store-command.ts';
import { longestPauses, watchingPauses } from './pauses.ts';
import { readAll } from './read-all.ts';
import { pathOf } from './small-objects.ts';

/** What an object may cost of resident memory, all included, and how much is configured for each so that all fit. */
const kinds = [
  { name: '1 KiB', sizeBytes: kibibyte, limitBytes: 2 * kibibyte, configuredBytes: 1_750 },
  { name: '100 bytes', sizeBytes: 100, limitBytes: 768, configuredBytes: 650 },
];

/** Beside which the cost of a hit is compared. */
const FEW = 50_000;
const GROWTH_LIMIT = 1.1;

const PAUSE_LIMIT_MS = 20;
const START_LIMIT_MS = 1_000;
const ANSWER_LIMIT_MS = 100;

/** Configured besides. */
const SPARE_BYTES = 64 * mebibyte;

/** So many objects are read at a time until something is evicted for them, and so often at most. */
const EVICTING_TIMES = 100;

const program = new URL('store-main.ts', import.meta.url).pathname;
const randomKeys = new URL('random-keys.lua', import.meta.url).pathname;

/**
 * What many small objects cost: memory, pauses of the worker's event loop, the time of hits, fills and evictions, and what operators
 * ask for.
 */
export async function growth(lab: Lab, rounds: number, objects: number): Promise<readonly Finding[]> {
  const storeUrl = await startStore(lab);
  const findings: Finding[] = [];
  for (const kind of kinds) {
    const found = await growthOf(lab, storeUrl, kind, rounds, objects);
    // a million of them take a while
    lab.say(tableOf(found));
    findings.push(...found);
  }
  return findings;
}

type Kind = (typeof kinds)[number];

async function growthOf(
  lab: Lab,
  storeUrl: string,
  { name, sizeBytes, limitBytes, configuredBytes }: Kind,
  rounds: number,
  objects: number,
): Promise<readonly Finding[]> {
  const about = (what: string) => `${objects} objects of ${name}: ${what}`;
  const start = (count: number) => startGateway(lab, storeUrl, count * configuredBytes + SPARE_BYTES);
  const [few, many] = [await start(objects), await start(objects)];
  const idleBytes = await settledBytes(many.gateway);
  const beganMs = Date.now();
  // what is compiled is compiled after these
  await fill(many.gateway, sizeBytes, 0, FEW);
  const firstFills = await fill(many.gateway, sizeBytes, FEW, 2 * FEW);
  const filled = await fill(many.gateway, sizeBytes, 2 * FEW, objects - FEW);
  const lastFills = await fill(many.gateway, sizeBytes, objects - FEW, objects);
  const filling = longestPauses(many.gateway, beganMs);
  const filledS = (Date.now() - beganMs) / 1_000;
  const residentBytes = (await settledBytes(many.gateway)) - idleBytes;
  lab.say(`${name}: ${objects} read in ${filledS.toFixed(0)} s, ${toMebibytes(residentBytes)} MiB more`);
  await fill(few.gateway, sizeBytes, 0, FEW);
  const compared = { few: few.gateway, many: many.gateway };
  const hits = await compareHits(lab, compared, sizeBytes, rounds, objects);
  const metrics = await many.gateway.metrics();
  const held = metrics.total('cache_entries', { tier: 'records' });
  const countedBytes = metrics.total('cache_object_bytes');
  const metricsMs = await slowest(5, () => many.gateway.metrics());
  const small = await start(FEW);
  await fill(small.gateway, sizeBytes, 0, FEW);
  const evictingFew = await evict(small.gateway, sizeBytes, FEW);
  const evictingMs = Date.now();
  const evictingMany = await evict(many.gateway, sizeBytes, objects);
  const evicting = longestPauses(many.gateway, evictingMs);
  const purgedMs = Date.now();
  const purgeMs = await slowest(1, () => many.gateway.purge(bucket));
  // the sweep behind it
  await wait(5_000);
  const purging = longestPauses(many.gateway, purgedMs);
  const findings = [
    atMost(about('until the gateway is ready'), Math.min(few.startMs, many.startMs), START_LIMIT_MS, 'ms'),
    orientation(about('memory when idle'), toMebibytes(idleBytes), 'MiB'),
    exactly(about('wrong answers'), filled.wrong + firstFills.wrong + lastFills.wrong, 0),
    exactly(about('still held'), held, objects),
    atMost(about('resident memory of each'), residentBytes / objects, limitBytes, 'bytes'),
    orientation(about('the same as the gateway counts it'), countedBytes, 'bytes'),
    atMost(about('longest pause while filling'), filling.pauseMs, PAUSE_LIMIT_MS, 'ms'),
    orientation(about('of these longest collection'), filling.collectionMs, 'ms'),
    orientation(about('slowest answer while filling'), filled.slowestMs, 'ms'),
    atMost(
      about(`CPU of the last ${FEW} fills against the second`),
      lastFills.cpuUs / firstFills.cpuUs,
      GROWTH_LIMIT,
    ),
    orientation(about(`CPU of a fill that evicts, beside ${FEW}`), evictingFew, 'µs'),
    atMost(about(`CPU of a fill that evicts against ${FEW}`), evictingMany / evictingFew, GROWTH_LIMIT),
    atMost(about('longest pause while evicting'), evicting.pauseMs, PAUSE_LIMIT_MS, 'ms'),
    atMost(about('longest pause under hits'), hits.pauses.pauseMs, PAUSE_LIMIT_MS, 'ms'),
    orientation(about('of these longest collection, under hits'), hits.pauses.collectionMs, 'ms'),
    orientation(about(`CPU of a hit of ${FEW}`), hits.fewUs, 'µs'),
    orientation(about('CPU of a hit'), hits.manyUs, 'µs'),
    atMost(about(`CPU of a hit against ${FEW}`), hits.manyUs / hits.fewUs, GROWTH_LIMIT),
    atMost(about('slowest of five /metrics'), metricsMs, ANSWER_LIMIT_MS, 'ms'),
    atMost(about('purge of the bucket'), purgeMs, ANSWER_LIMIT_MS, 'ms'),
    atMost(about('longest pause in the 5 s behind it'), purging.pauseMs, PAUSE_LIMIT_MS, 'ms'),
  ];
  await small.gateway.stop();
  await few.gateway.stop();
  await many.gateway.stop();
  return findings;
}

async function startStore(lab: Lab): Promise<string> {
  const child = fork(program);
  const [port] = await once(child, 'message');
  const stop = async () => {
    child.disconnect();
    await once(child, 'exit');
  };
  await lab.keep(Promise.resolve({ stop }));
  return `http://127.0.0.1:${port}`;
}

async function startGateway(lab: Lab, storeUrl: string, memoryBytes: number) {
  const beganMs = performance.now();
  const gateway = await lab.gateway({
    backends: { store: { type: 's3', endpoint: storeUrl, keys: 'exact' } },
    memory: `${Math.ceil(memoryBytes / mebibyte)}MiB`,
    launcher: pinned,
    nodeArguments: watchingPauses,
  });
  return { gateway, startMs: performance.now() - beganMs };
}

/** Reads each object from number `from` on once; tells the CPU time of each. */
async function fill({ url, pid }: GatewayProcess, sizeBytes: number, from: number, to: number) {
  const before = cpuSeconds(pid);
  const read = await readAll(url, pathsOf(sizeBytes, from, to), 16);
  return { ...read, cpuUs: costOf(cpuSeconds(pid) - before, to - from) ?? Number.NaN };
}

function* pathsOf(sizeBytes: number, from: number, to: number): Generator<string> {
  for (let index = from; index < to; index++) yield pathOf(sizeBytes, index);
}

/** The CPU time of a read that evicts another object. @param from the first number that was not read yet */
async function evict(gateway: GatewayProcess, sizeBytes: number, from: number): Promise<number> {
  for (let time = 0; time < EVICTING_TIMES; time++) {
    const start = from + time * FEW;
    const before = await evictions(gateway);
    const { cpuUs } = await fill(gateway, sizeBytes, start, start + FEW);
    if ((await evictions(gateway)) - before > 0.95 * FEW) return cpuUs;
  }
  throw new Error(`nothing was evicted for ${EVICTING_TIMES * FEW} further objects`);
}

async function evictions(gateway: GatewayProcess): Promise<number> {
  return (await gateway.metrics()).total('cache_evictions_total', { tier: 'memory' });
}

/** Resident memory once it is no longer growing: some is made ready ahead of use. */
async function settledBytes({ pid }: GatewayProcess): Promise<number> {
  let [before, now] = [-Infinity, residentBytes(pid).now];
  for (let second = 0; second < 20 && now - before > mebibyte; second++) {
    before = now;
    await wait(1_000);
    now = residentBytes(pid).now;
  }
  return now;
}

/** CPU time of hits of random ones of few objects and of many, the lowest of all rounds. */
async function compareHits(
  lab: Lab,
  { few, many }: { readonly few: GatewayProcess; readonly many: GatewayProcess },
  sizeBytes: number,
  rounds: number,
  objects: number,
) {
  const lowest = { fewUs: Infinity, manyUs: Infinity };
  const measure = async (gateway: GatewayProcess, count: number, seed: number) => {
    const before = cpuSeconds(gateway.pid);
    const script = [randomKeys, String(sizeBytes), String(count), String(seed)] as const;
    const load = { url: gateway.url, connections: 16, seconds: 4, core: loadCore, script };
    const requests = await generateLoad(load);
    return costOf(cpuSeconds(gateway.pid) - before, requests) ?? Infinity;
  };
  // what is compiled is compiled after this
  await measure(few, FEW, 0);
  await measure(many, objects, 0);
  const sinceMs = Date.now();
  for (let round = 1; round <= rounds; round++) {
    const [fewUs, manyUs] = [await measure(few, FEW, round), await measure(many, objects, round)];
    lab.say(
      `round ${round}, µs of CPU a hit: of ${FEW} ${fewUs.toFixed(1)} · of ${objects} ${manyUs.toFixed(1)}`,
    );
    lowest.fewUs = Math.min(lowest.fewUs, fewUs);
    lowest.manyUs = Math.min(lowest.manyUs, manyUs);
  }
  return { ...lowest, pauses: longestPauses(many, sinceMs) };
}

async function slowest(times: number, run: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  for (let time = 0; time < times; time++) {
    const beganMs = performance.now();
    await run();
    longestMs = Math.max(longestMs, performance.now() - beganMs);
  }
  return longestMs;
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / mebibyte);
}
