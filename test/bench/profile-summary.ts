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
