import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCore, pinned } from './contenders/contender.ts';
import { type Finding, orientation } from './finding.ts';
import { kibibyte, type Lab, urlAt } from './lab.ts';
import { generateLoad } from './load.ts';
import { cpuSeconds } from './process-cost.ts';
import { type CpuProfile, endOf, type ProfileShare, summarise } from './profile-summary.ts';
import { read } from './reader.ts';

const shown = 25;

/** Where the time of a small hit goes: a CPU profile of the thread that serves, summed up by file. */
export async function hitProfile(lab: Lab): Promise<readonly Finding[]> {
  const content = await lab.put({ key: 'profiled', sizeBytes: kibibyte, seed: 0 });
  const gateway = await lab.gateway({ launcher: pinned, nodeArguments: ['--cpu-prof'] });
  const url = urlAt(gateway, 'profiled');
  await read(url, [content]);
  const load = { url, connections: 16, core: loadCore };
  await generateLoad({ ...load, seconds: 3 });
  const [startMs, startS] = [performance.now(), cpuSeconds(gateway.pid)];
  const requests = await generateLoad({ ...load, seconds: 6 });
  const costUs = ((cpuSeconds(gateway.pid) - startS) / requests) * 1_000_000;
  await gateway.halt();
  const shares = busiest(gateway.directory, performance.now() - startMs);
  // Samples count waiting for a core as work, so they tell shares; how much there is to share, the kernel knows.
  const totalUs = shares.reduce((sum, { microseconds }) => sum + microseconds, 0);
  const cost = (microseconds: number) => (microseconds / totalUs) * costUs;
  lab.say(`${requests} requests after a warm-up, ${costUs.toFixed(1)} µs of CPU each with the profiler on`);
  for (const { place, microseconds } of shares.slice(0, shown)) {
    const share = ((100 * microseconds) / totalUs).toFixed(1).padStart(5);
    lab.say(`${share} %  ${cost(microseconds).toFixed(2).padStart(6)} µs  ${place}`);
  }
  const within = (pattern: RegExp) =>
    cost(
      shares.filter(({ place }) => pattern.test(place)).reduce((sum, share) => sum + share.microseconds, 0),
    );
  return [
    orientation('profile of a 1 KiB hit: our own files', within(/^src\//), 'µs'),
    orientation('profile of a 1 KiB hit: modules of Node', within(/^node:/), 'µs'),
    orientation(
      'profile of a 1 KiB hit: native code and system calls',
      within(/^(native |\(program\))/),
      'µs',
    ),
    orientation('profile of a 1 KiB hit: garbage collection', within(/^\(garbage/), 'µs'),
  ];
}

/** The last `lastMs` of the thread that worked most. */
function busiest(directory: string, lastMs: number): readonly ProfileShare[] {
  const profiles = readdirSync(directory)
    .filter(name => name.endsWith('.cpuprofile'))
    .map((name): CpuProfile => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    .map(profile => summarise(endOf(profile, lastMs)));
  const total = (shares: readonly ProfileShare[]) =>
    shares.reduce((sum, share) => sum + share.microseconds, 0);
  const [first] = profiles.sort((a, b) => total(b) - total(a));
  if (!first) throw new Error('the gateway left no profile');
  return first;
}
