import { Random } from '../../fuzz/random.ts';
import type { Trace } from './trace.ts';

const kibibyte = 1024;
const mebibyte = 1_048_576;

/** How a trace is made. */
interface Recipe {
  readonly objects: number;
  readonly requests: number;
  /** Exponent of Zipf's law: the object of rank r is asked for in proportion to r^-skew. */
  readonly skew: number;
  readonly sizeBytes: (random: () => number) => number;
  /** Share of the requests that are in scans: runs of a thousand objects that are asked for once. */
  readonly scanned?: number;
  /** How many objects change their rank with another one between two requests. */
  readonly drift?: number;
}

const SCAN_LENGTH = 1_000;

const equal = (sizeBytes: number) => () => sizeBytes;
const exponential = (meanBytes: number) => (random: () => number) =>
  Math.max(64, Math.round(-meanBytes * Math.log(1 - random())));
/** As many objects between 1 and 2 KiB as between 1 and 2 MiB. */
const logUniform = (leastBytes: number, mostBytes: number) => (random: () => number) =>
  Math.round(leastBytes * (mostBytes / leastBytes) ** random());

const small = { objects: 100_000, requests: 600_000 };
const large = { objects: 3_000, requests: 30_000 };

const recipes: Readonly<Record<string, Recipe>> = {
  'equal sizes (32 KiB)': { ...small, skew: 0.9, sizeBytes: equal(32 * kibibyte) },
  'mean of 4 KiB': { ...small, skew: 0.9, sizeBytes: exponential(4 * kibibyte) },
  'mean of 4 KiB, skew 0.7': { ...small, skew: 0.7, sizeBytes: exponential(4 * kibibyte) },
  'mean of 4 KiB, skew 1.1': { ...small, skew: 1.1, sizeBytes: exponential(4 * kibibyte) },
  'mean of 4 KiB, drift': { ...small, skew: 0.9, sizeBytes: exponential(4 * kibibyte), drift: 0.02 },
  'mean of 64 KiB': { ...small, skew: 0.9, sizeBytes: exponential(64 * kibibyte) },
  '1 KiB to 1 MiB, scans': {
    ...{ objects: 100_000, requests: 400_000, skew: 0.9, scanned: 0.2 },
    sizeBytes: logUniform(kibibyte, mebibyte),
  },
  '1 KiB to 64 MiB': { ...large, skew: 0.9, sizeBytes: logUniform(kibibyte, 64 * mebibyte) },
  '1 KiB to 64 MiB, scans, drift': {
    ...{ ...large, skew: 0.9, scanned: 0.2, drift: 0.02 },
    sizeBytes: logUniform(kibibyte, 64 * mebibyte),
  },
};

export const generatedTraceNames: readonly string[] = Object.keys(recipes);

/** The same trace each time. @throws RangeError when there is no trace of that name */
export function generatedTrace(name: string): Trace {
  const recipe = recipes[name];
  if (!recipe) throw new RangeError(`no trace is called ${name}`);
  return { name, ...generate(recipe, new Random(1)) };
}

export function generate(recipe: Recipe, source: Random): Pick<Trace, 'objects' | 'sizesBytes'> {
  const random = () => source.int(2 ** 32) / 2 ** 32;
  const { scanned = 0, drift = 0, requests, sizeBytes } = recipe;
  const byRank = Uint32Array.from({ length: recipe.objects }, (_, rank) => rank);
  const rankOf = zipf(recipe.objects, recipe.skew);
  const sizesBytes = Array.from(byRank, () => sizeBytes(random));
  const objects = new Uint32Array(requests);
  let left = 0;
  for (let at = 0; at < requests; at++) {
    // so many scans begin that their requests have the wanted share
    if (left === 0 && random() < scanned / (SCAN_LENGTH * (1 - scanned))) left = SCAN_LENGTH;
    if (random() < drift) swap(byRank, Math.floor(random() * byRank.length), rankOf(random()));
    if (left > 0) {
      left--;
      objects[at] = sizesBytes.push(sizeBytes(random)) - 1;
    } else objects[at] = byRank[rankOf(random())] ?? 0;
  }
  return { objects, sizesBytes: Float64Array.from(sizesBytes) };
}

/** A function from a number in [0, 1) to a rank. */
function zipf(ranks: number, skew: number): (share: number) => number {
  const upTo = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank++) {
    sum += (rank + 1) ** -skew;
    upTo[rank] = sum;
  }
  return share => {
    let [low, high] = [0, ranks - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((upTo[middle] ?? 0) > share * sum) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

function swap(array: Uint32Array, one: number, other: number): void {
  const before = array[one] ?? 0;
  array[one] = array[other] ?? 0;
  array[other] = before;
}
