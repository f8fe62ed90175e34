import { patternContent } from '../support/stand-in/content.ts';
import { type Contender, loadCore } from './contenders/contender.ts';
import { exactly, type Finding } from './finding.ts';
import { kibibyte, type Lab, mebibyte } from './lab.ts';
import { generateLoad } from './load.ts';
import { costOf, cpuSeconds } from './process-cost.ts';
import { read } from './reader.ts';
import { bucket } from './store-command.ts';
import { touchMemory } from './touch-memory.ts';

/** What is hit, and at most what share of the better of nginx and Varnish it may cost. */
export const hitSizes = [
  { name: '1 KiB', sizeBytes: kibibyte, limit: 0.65 },
  { name: '16 KiB', sizeBytes: 16 * kibibyte, limit: 0.75 },
  { name: '64 KiB', sizeBytes: 64 * kibibyte, limit: 0.95 },
  { name: '1 MiB', sizeBytes: mebibyte, limit: 1.05 },
];
const connections = 16;
/** The quiet moments of a machine that others use too are short: many short loads find more of them than a few long ones. */
const seconds = 1;
const loadsPerRound = 3;

/** CPU microseconds of a hit by contender and size: the lowest of all rounds. */
export type Costs = Map<string, Map<string, number>>;

/**
 * CPU time per request of a hit: every server kept on one core, the load on the other, user and system time of
 * the serving process with all its threads and children from /proc, lowest of `rounds * loadsPerRound` interleaved ones.
 */
export async function measureHits(
  lab: Lab,
  rounds: number,
  start: () => Promise<readonly Contender[]>,
): Promise<{ readonly costs: Costs; readonly findings: readonly Finding[] }> {
  touchMemory(4 * 1024 * mebibyte);
  for (const { name, sizeBytes } of hitSizes) await lab.put({ key: keyOf(name), sizeBytes, seed: 0 });
  const contenders = await start();
  for (const contender of contenders) await warm(contender);
  await lab.store.clear();
  const costs: Costs = new Map(contenders.map(({ name }) => [name, new Map()]));
  for (let round = 1; round <= rounds * loadsPerRound; round++) await oneRound(lab, contenders, costs, round);
  const { requests } = await lab.store.report();
  return { costs, findings: [exactly('hits: store requests while measuring', requests.length, 0)] };
}

/** The key of an object of this size. */
export function keyOf(name: string): string {
  return name.replace(' ', '');
}

/** Reads every object twice and makes sure that it is the right one. */
async function warm({ name, url }: Contender): Promise<void> {
  for (const { name: size, sizeBytes } of [...hitSizes, ...hitSizes]) {
    const reading = await read(`${url}/${bucket}/${keyOf(size)}`, [patternContent(sizeBytes)]);
    if (!reading.clean || reading.fits.length !== 1 || reading.bytes !== sizeBytes) {
      throw new Error(`${name} answers ${size} wrongly (${reading.status}, ${reading.bytes} bytes)`);
    }
  }
}

async function oneRound(
  lab: Lab,
  contenders: readonly Contender[],
  costs: Costs,
  round: number,
): Promise<void> {
  for (const { name: size } of hitSizes) {
    const line: string[] = [];
    for (const { name, url, pid } of contenders) {
      const before = cpuSeconds(pid);
      const load = { url: `${url}/${bucket}/${keyOf(size)}`, connections, seconds, core: loadCore };
      const requests = await generateLoad(load);
      const cost = costOf(cpuSeconds(pid) - before, requests);
      const lowest = costs.get(name);
      if (cost !== undefined) lowest?.set(size, Math.min(cost, lowest.get(size) ?? cost));
      line.push(`${name} ${cost?.toFixed(1) ?? 'starved'}`);
    }
    lab.say(`round ${round}, ${size}, µs of CPU a request: ${line.join(' · ')}`);
  }
}
