import { atMost, type Finding, orientation } from '../finding.ts';
import { type Contender, type HitRatio, replayed } from './contender.ts';
import { Fifo, Lru } from './fifo-and-lru.ts';
import { generatedTrace, generatedTraceNames } from './generated-traces.ts';
import { OfflineOptimum } from './offline-optimum.ts';
import { OwnCache } from './own-cache.ts';
import { S3Fifo } from './s3-fifo.ts';
import { Sieve } from './sieve.ts';
import { footprintBytes, type Trace } from './trace.ts';
import { readTraceFile } from './trace-files.ts';
import { WTinyLfu } from './w-tinylfu.ts';

/** The memory of every cache, as a share of the bytes of all objects of a trace. */
const MEMORY_SHARE = 0.05;

/** The gateway divides no less than this. */
const LEAST_MEMORY_BYTES = 2 ** 24;

/** Caches by name. All but ours keep their own records outside of the memory that they are given. */
const contenders: Readonly<Record<string, (capacityBytes: number, trace: Trace) => Contender>> = {
  ours: capacityBytes => new OwnCache(capacityBytes),
  FIFO: capacityBytes => new Fifo(capacityBytes),
  LRU: capacityBytes => new Lru(capacityBytes),
  SIEVE: capacityBytes => new Sieve(capacityBytes),
  'S3-FIFO': capacityBytes => new S3Fifo(capacityBytes),
  'W-TinyLFU': (capacityBytes, { sizesBytes }) => {
    const meanBytes = sizesBytes.reduce((sum, sizeBytes) => sum + sizeBytes, 0) / sizesBytes.length;
    return new WTinyLfu(capacityBytes, Math.ceil(capacityBytes / meanBytes));
  },
  offline: (capacityBytes, trace) => new OfflineOptimum(capacityBytes, trace),
};

/**
 * Runs traces through the gateway's own eviction and through others: the chosen generated ones, or all, and files.
 *
 * @param chosen parts of the names of generated traces, or files (`readTraceFile`)
 */
export function replay(chosen: readonly string[], say: (line: string) => void): readonly Finding[] {
  const findings: Finding[] = [];
  say(row('trace', Object.keys(contenders)));
  for (const trace of tracesOf(chosen)) {
    const capacityBytes = Math.max(LEAST_MEMORY_BYTES, MEMORY_SHARE * footprintBytes(trace));
    const ratios = Object.values(contenders).map(make => replayed(trace, make(capacityBytes, trace)));
    say(
      row(
        trace.name,
        ratios.map(({ requests }) => requests.toFixed(3)),
      ),
    );
    say(
      row(
        `  of bytes, with ${Math.round(capacityBytes / 2 ** 20)} MiB`,
        ratios.map(({ bytes }) => bytes.toFixed(3)),
      ),
    );
    findings.push(...findingsOf(trace, ratios));
  }
  return findings;
}

/** Generated traces are made one by one: each takes some megabytes. */
function* tracesOf(chosen: readonly string[]): Iterable<Trace> {
  if (chosen.length === 0) for (const name of generatedTraceNames) yield generatedTrace(name);
  for (const one of chosen) {
    const names = generatedTraceNames.filter(name => name.includes(one));
    if (names.length === 0) yield readTraceFile(one);
    for (const name of names) yield generatedTrace(name);
  }
}

function findingsOf({ name }: Trace, ratios: readonly HitRatio[]): Finding[] {
  const names = Object.keys(contenders);
  const of = (contender: string) => ratios[names.indexOf(contender)]?.requests ?? Number.NaN;
  return [
    orientation(`${name}: ours`, of('ours')),
    atMost(`${name}: LRU less ours`, of('LRU') - of('ours'), 0),
    atMost(`${name}: S3-FIFO less ours`, of('S3-FIFO') - of('ours'), 0.02),
  ];
}

function row(name: string, columns: readonly string[]): string {
  return name.padEnd(34) + columns.map(column => column.padStart(11)).join('');
}
