import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCore, pinned } from './contenders/contender.ts';
import { type Finding, orientation } from './finding.ts';
import { kibibyte, type Lab, urlAt } from './lab.ts';
import { generateLoad } from './load.ts';
import { type CpuProfile, type ProfileShare, summarise } from './profile-summary.ts';
import { read } from './reader.ts';

const shown = 25;

/** Where the time of a small hit goes: a CPU profile of the thread that serves, summed up by file. */
export async function hitProfile(lab: Lab): Promise<readonly Finding[]> {
  const content = await lab.put({ key: 'profiled', sizeBytes: kibibyte, seed: 0 });
  const gateway = await lab.gateway({ launcher: pinned, nodeArguments: ['--cpu-prof'] });
  const url = urlAt(gateway, 'profiled');
  await read(url, [content]);
  const requests = await generateLoad({ url, connections: 16, seconds: 5, core: loadCore });
  await gateway.halt();
  const shares = busiest(gateway.directory);
  const totalUs = shares.reduce((sum, { microseconds }) => sum + microseconds, 0);
  for (const { place, microseconds } of shares.slice(0, shown)) {
    const share = ((100 * microseconds) / totalUs).toFixed(1).padStart(5);
    lab.say(`${share} %  ${(microseconds / requests).toFixed(2).padStart(6)} µs  ${place}`);
  }
  const within = (pattern: RegExp) =>
    shares.filter(({ place }) => pattern.test(place)).reduce((sum, share) => sum + share.microseconds, 0) /
    requests;
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

/** The profile of the thread that worked most. */
function busiest(directory: string): readonly ProfileShare[] {
  const profiles = readdirSync(directory)
    .filter(name => name.endsWith('.cpuprofile'))
    .map((name): CpuProfile => JSON.parse(readFileSync(join(directory, name), 'utf8')))
    .map(summarise);
  const total = (shares: readonly ProfileShare[]) =>
    shares.reduce((sum, share) => sum + share.microseconds, 0);
  const [first] = profiles.sort((a, b) => total(b) - total(a));
  if (!first) throw new Error('the gateway left no profile');
  return first;
}
