/** The parts of a V8 CPU profile that a summary needs. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileShare {
  readonly place: string;
  readonly microseconds: number;
}

/**
 * The end of a profile: the samples of its last `lastMs` milliseconds. A profile begins with the process, and loading
 * modules is not what it was taken for.
 */
export function endOf(profile: CpuProfile, lastMs: number): CpuProfile {
  const samples: number[] = [];
  const timeDeltas: number[] = [];
  let left = lastMs * 1000;
  for (let index = profile.samples.length - 1; index >= 0 && left > 0; index--) {
    const delta = profile.timeDeltas[index] ?? 0;
    samples.push(profile.samples[index] ?? 0);
    timeDeltas.push(delta);
    left -= delta;
  }
  return { nodes: profile.nodes, samples: samples.reverse(), timeDeltas: timeDeltas.reverse() };
}

/** Self time by place, longest first: a file of ours, a module of Node, a package, or what V8 names in brackets. */
export function summarise(profile: CpuProfile): readonly ProfileShare[] {
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const spent = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const place = places.get(sample) ?? 'unknown';
    spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return [...spent]
    .filter(([place]) => place !== '(idle)' && place !== '(root)')
    .map(([place, microseconds]) => ({ place, microseconds }))
    .sort((a, b) => b.microseconds - a.microseconds);
}

function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName.startsWith('(') ? functionName : `native ${functionName}`;
  const [, ours] = /\/(src\/[^?]+)$/.exec(url) ?? [];
  const [, dependency] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return dependency ?? ours ?? url;
}
