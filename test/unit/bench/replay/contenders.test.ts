import { expect, it } from 'vitest';
import { type Contender, replayed } from '../../../bench/replay/contender.ts';
import { Fifo, Lru } from '../../../bench/replay/fifo-and-lru.ts';
import { OfflineOptimum } from '../../../bench/replay/offline-optimum.ts';
import { OwnCache } from '../../../bench/replay/own-cache.ts';
import { S3Fifo } from '../../../bench/replay/s3-fifo.ts';
import { Sieve } from '../../../bench/replay/sieve.ts';
import { TraceBuilder } from '../../../bench/replay/trace.ts';
import { WTinyLfu } from '../../../bench/replay/w-tinylfu.ts';

/** Requests for objects of one byte; of `B` bytes for those in `sizesBytes`. */
function traceOf(objects: string, sizesBytes: Readonly<Record<string, number>> = {}) {
  const trace = new TraceBuilder();
  for (const name of objects.split(' ')) trace.add(name, sizesBytes[name] ?? 1);
  return trace.build('known');
}

/** One letter a request: hit or miss. */
function outcomes(trace: ReturnType<typeof traceOf>, contender: Contender): string {
  return Array.from(trace.objects, (object, at) =>
    contender.request(object, trace.sizesBytes[object] ?? 0, at) ? 'h' : 'm',
  ).join(' ');
}

it('FIFO gives up what came first, however often it was read', () => {
  expect(outcomes(traceOf('a b c a d a b'), new Fifo(3))).toBe('m m m h m m m');
});

it('LRU gives up what was not read for longest', () => {
  expect(outcomes(traceOf('a b c a d a b c'), new Lru(3))).toBe('m m m h m h m m');
});

it('SIEVE gives up what was not read again since the hand passed it', () => {
  expect(outcomes(traceOf('a b c a d a b c a'), new Sieve(3))).toBe('m m m h m h m m h');
});

it('S3-FIFO keeps what was read twice, and what comes back from the ghosts, through a scan', () => {
  const filled = 'a a a b c d e f g h i j';
  const scan = Array.from({ length: 20 }, (_, number) => `x${number}`).join(' ');
  const expected = `m h h ${'m '.repeat(9)}m m ${'m '.repeat(20)}h h m`;
  expect(outcomes(traceOf(`${filled} k b ${scan} a b c`), new S3Fifo(10))).toBe(expected);
});

it('W-TinyLFU lets in only what was asked for more often than what has to go', () => {
  const hot = Array.from({ length: 100 }, (_, number) => `h${number}`).join(' ');
  const scan = Array.from({ length: 50 }, (_, number) => `x${number}`).join(' ');
  const found = outcomes(traceOf(`${hot} ${hot} ${scan} ${hot}`), new WTinyLfu(100, 100)).split(' ');
  expect(found.slice(0, 100)).not.toContain('h');
  expect(found.slice(200, 250)).not.toContain('h');
  // the hundredth was in the window when the scan began, and lost to what had been asked for as often
  expect(found.slice(250).filter(outcome => outcome === 'm')).toHaveLength(1);
});

it('the offline optimum keeps what is asked for next', () => {
  const trace = traceOf('a b c a b');
  expect(outcomes(trace, new OfflineOptimum(2, trace))).toBe('m m m h h');
  const sized = traceOf('a b big a b big', { big: 3 });
  expect(outcomes(sized, new OfflineOptimum(4, sized))).toBe('m m m h h m');
});

it.each([Fifo, Lru, Sieve, S3Fifo])('%o measures bytes, and takes nothing that is larger than it', Cache => {
  const sizes = { big: 3, huge: 5 };
  expect(outcomes(traceOf('a huge a big a b huge', sizes), new Cache(4))).toBe('m m h m h m m');
  expect(outcomes(traceOf('big a b big', sizes), new Cache(4))).toBe('m m m m');
});

it("the gateway's own cache holds records and bytes, also of objects of several blocks", () => {
  const sizes = { large: 5_000_000 };
  expect(outcomes(traceOf('a large a large', sizes), new OwnCache(2 ** 24))).toBe('m m h h');
});

it('counts hits of requests and of their bytes, after the first tenth', () => {
  const trace = traceOf('a b a a a a a a a b', { b: 3 });
  expect(replayed(trace, new Lru(10))).toEqual({ requests: 8 / 9, bytes: 10 / 13 });
});
