import { spawnSync } from 'node:child_process';
import { patternContent } from '../support/stand-in/content.ts';
import { startBareNode } from './contenders/bare-node.ts';
import { type Contender, loadCore } from './contenders/contender.ts';
import { startGateway } from './contenders/gateway.ts';
import { startNginx } from './contenders/nginx.ts';
import { startTrafficServer } from './contenders/traffic-server.ts';
import { startVarnish } from './contenders/varnish.ts';
import { atMost, exactly, type Finding, orientation } from './finding.ts';
import { kibibyte, type Lab, mebibyte } from './lab.ts';
import { generateLoad } from './load.ts';
import { costOf, cpuSeconds } from './process-cost.ts';
import { read } from './reader.ts';
import { bucket } from './store-command.ts';
import { touchMemory } from './touch-memory.ts';

const sizes = [
  { name: '1 KiB', sizeBytes: kibibyte, limit: 1.0 },
  { name: '64 KiB', sizeBytes: 64 * kibibyte, limit: 1.2 },
  { name: '1 MiB', sizeBytes: mebibyte, limit: 1.4 },
];
const connections = 16;
/** The quiet moments of a machine that others use too are short: many short loads find more of them than a few long ones. */
const seconds = 1;
const loadsPerRound = 3;

/** What a line of the access log may cost, in microseconds. */
const ACCESS_LOG_US = 2.5;

/** CPU microseconds of a hit by contender and size: the lowest of all rounds. */
type Costs = Map<string, Map<string, number>>;

/**
 * CPU time per request of a hit: every server kept on one core, the load on the other, user and system time of
 * the serving process with all its threads and children from /proc, lowest of `rounds * loadsPerRound` interleaved ones.
 */
export async function hitCost(lab: Lab, rounds: number): Promise<readonly Finding[]> {
  touchMemory(4 * 1024 * mebibyte);
  for (const { name, sizeBytes } of sizes) await lab.put({ key: keyOf(name), sizeBytes, seed: 0 });
  const contenders = await startAll(lab);
  for (const contender of contenders) await warm(contender);
  await lab.store.clear();
  const costs: Costs = new Map(contenders.map(({ name }) => [name, new Map()]));
  for (let round = 1; round <= rounds * loadsPerRound; round++) await oneRound(lab, contenders, costs, round);
  const { requests } = await lab.store.report();
  return [
    exactly('hits: store requests while measuring', requests.length, 0),
    ...sizes.flatMap(compare(costs)),
  ];
}

function keyOf(name: string): string {
  return name.replace(' ', '');
}

/**
 * The gateway with its log and without, the platform itself, and whatever of the others is installed, those that have
 * something to compare with a log also with theirs. Those that are compared stand side by
 * side, so that a quiet moment of the machine is likely to be one for each of them.
 */
async function startAll(lab: Lab): Promise<readonly Contender[]> {
  const paths = new Map(sizes.map(({ name, sizeBytes }) => [`/${bucket}/${keyOf(name)}`, sizeBytes]));
  const { url } = lab.store;
  const contenders = [await startGateway(lab, false)];
  for (const { program, start } of [
    { program: 'nginx', start: () => startNginx(url, 'on') },
    { program: 'varnishd', start: () => startVarnish(url) },
    { program: 'nginx', start: () => startNginx(url, 'off') },
    { program: 'traffic_server', start: () => startTrafficServer(url) },
  ]) {
    if (isInstalled(program)) contenders.push(await lab.keep(start()));
    else lab.say(`${program} is not installed`);
  }
  contenders.push(await lab.keep(startBareNode(paths)), await startGateway(lab, true));
  if (isInstalled('nginx')) contenders.push(await lab.keep(startNginx(url, 'on', true)));
  if (isInstalled('varnishncsa')) contenders.push(await lab.keep(startVarnish(url, true)));
  return contenders;
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-V']).error === undefined;
}

/** Reads every object twice and makes sure that it is the right one. */
async function warm({ name, url }: Contender): Promise<void> {
  for (const { name: size, sizeBytes } of [...sizes, ...sizes]) {
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
  for (const { name: size } of sizes) {
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

/** The gateway against the better of the two that others wrote. */
function compare(costs: Costs) {
  return ({ name: size, sizeBytes, limit }: (typeof sizes)[number]): readonly Finding[] => {
    const cost = (name: string) => costs.get(name)?.get(size) ?? Number.POSITIVE_INFINITY;
    const better = Math.min(cost('nginx'), cost('Varnish'));
    const logged = 'Tidegate, access log on';
    const betterLogged = Math.min(cost('nginx, access log on'), cost('Varnish, access log on'));
    const known = [...costs.keys()].map(name => orientation(`hit of ${size}: ${name}`, cost(name), 'µs'));
    if (!Number.isFinite(better)) return known;
    return [
      ...known,
      orientation(`hit of ${size}: bare node:http against the better`, cost('bare node:http') / better),
      ...(Number.isFinite(betterLogged)
        ? [
            atMost(
              `hit of ${size}: with access log against the better with theirs`,
              cost(logged) / betterLogged,
              1,
            ),
          ]
        : []),
      ...(sizeBytes === kibibyte
        ? [
            atMost(
              `hit of ${size}: cost of the access log`,
              cost(logged) - cost('Tidegate'),
              ACCESS_LOG_US,
              'µs',
            ),
          ]
        : [orientation(`hit of ${size}: cost of the access log`, cost(logged) - cost('Tidegate'), 'µs')]),
      atMost(`hit of ${size}: against the better of nginx and Varnish`, cost('Tidegate') / better, limit),
    ];
  };
}
