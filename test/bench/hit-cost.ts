import { startBareNode } from './contenders/bare-node.ts';
import { type Contender, isInstalled } from './contenders/contender.ts';
import { startGateway } from './contenders/gateway.ts';
import { startNginx } from './contenders/nginx.ts';
import { startTrafficServer } from './contenders/traffic-server.ts';
import { startVarnish } from './contenders/varnish.ts';
import { atMost, type Finding, orientation } from './finding.ts';
import { type Costs, hitSizes, keyOf, measureHits } from './hit-measure.ts';
import { kibibyte, type Lab } from './lab.ts';
import { bucket } from './store-command.ts';

/** What a line of the access log may cost, in microseconds. */
const ACCESS_LOG_US = 2.5;

/** What a hit at two workers may cost of one at one: half of them are of objects that the other worker owns. */
const TWO_WORKERS_LIMIT = 1.05;

const LOGGED = 'access log on';
const TWO_WORKERS = 'two workers';

/** The gateway, with its log and without, beside the better of the two that others wrote. */
export async function hitCost(lab: Lab, rounds: number): Promise<readonly Finding[]> {
  const { costs, findings } = await measureHits(lab, rounds, () => startAll(lab));
  return [...findings, ...hitSizes.flatMap(compare(costs))];
}

/**
 * The gateway with its log and without, the platform itself, and whatever of the others is installed, those that have
 * something to compare with a log also with theirs. Those that are compared stand side by
 * side, so that a quiet moment of the machine is likely to be one for each of them.
 */
async function startAll(lab: Lab): Promise<readonly Contender[]> {
  const paths = new Map(hitSizes.map(({ name, sizeBytes }) => [`/${bucket}/${keyOf(name)}`, sizeBytes]));
  const { url } = lab.store;
  // both workers are kept on the one core
  const contenders = [await startGateway(lab), await startGateway(lab, { workers: 2 }, TWO_WORKERS)];
  for (const { program, start } of [
    { program: 'nginx', start: () => startNginx(url, 'on') },
    { program: 'varnishd', start: () => startVarnish(url) },
    { program: 'nginx', start: () => startNginx(url, 'off') },
    { program: 'traffic_server', start: () => startTrafficServer(url) },
  ]) {
    if (isInstalled(program)) contenders.push(await lab.keep(start()));
    else lab.say(`${program} is not installed`);
  }
  contenders.push(await lab.keep(startBareNode(paths)), await startGateway(lab, { accessLog: true }, LOGGED));
  if (isInstalled('nginx')) contenders.push(await lab.keep(startNginx(url, 'on', { hasLog: true })));
  if (isInstalled('varnishncsa')) contenders.push(await lab.keep(startVarnish(url, true)));
  return contenders;
}

/** The gateway against the better of the two that others wrote. */
function compare(costs: Costs) {
  return ({ name: size, sizeBytes, limit }: (typeof hitSizes)[number]): readonly Finding[] => {
    const cost = (name: string) => costs.get(name)?.get(size) ?? Number.POSITIVE_INFINITY;
    const better = Math.min(cost('nginx'), cost('Varnish'));
    const logged = `Tidegate, ${LOGGED}`;
    const betterLogged = Math.min(cost(`nginx, ${LOGGED}`), cost(`Varnish, ${LOGGED}`));
    const known = [
      ...[...costs.keys()].map(name => orientation(`hit of ${size}: ${name}`, cost(name), 'µs')),
      atMost(
        `hit of ${size}: two workers against one`,
        cost(`Tidegate, ${TWO_WORKERS}`) / cost('Tidegate'),
        TWO_WORKERS_LIMIT,
      ),
    ];
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
