import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, exactly, type Finding, orientation } from './finding.ts';
import { kibibyte, type Lab, mebibyte, urlAt } from './lab.ts';
import { residentBytes } from './process-cost.ts';
import { type Reading, read } from './reader.ts';

const readers = 500;
const objects = 40;
const arenaBytes = 256 * mebibyte;
const allowanceBytes = 200 * mebibyte;
const hits = 300;

/** Many readers who stop reading, of more than the arena can hold, while others want to be served. */
export async function stalledReaders(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway({ memory: '256MiB' });
  const small = await lab.put({ key: 'small', sizeBytes: kibibyte, seed: 0 });
  for (let seed = 1; seed <= objects; seed++) {
    await lab.put({ key: `huge-${seed}`, sizeBytes: 256 * mebibyte, seed });
  }
  await read(urlAt(gateway, 'small'), [small]);
  const idle = residentBytes(gateway.pid).now;

  const stalled = Array.from({ length: readers }, (_, index) =>
    stallOn(urlAt(gateway, `huge-${1 + (index % objects)}`)),
  );
  await Promise.all(stalled.map(({ answered }) => answered));
  await storeIsQuiet(lab);
  const readings: Reading[] = [];
  for (let count = 0; count < hits; count++) readings.push(await read(urlAt(gateway, 'small'), [small]));
  const { now, peak } = residentBytes(gateway.pid);
  for (const { socket } of stalled) socket.destroy();

  lab.say(`idle ${toMebibytes(idle)} MiB, with ${readers} stalled readers ${toMebibytes(now)} MiB`);
  const served = readings.filter(({ status, fits }) => status === 200 && fits.length === 1);
  const latencies = readings.map(({ totalMs }) => totalMs).sort((a, b) => a - b);
  const quantile = (share: number) => latencies[Math.floor(share * (hits - 1))] ?? Number.POSITIVE_INFINITY;
  const limit = toMebibytes(arenaBytes + allowanceBytes);
  return [
    atMost('500 stalled readers: peak resident memory over idle', toMebibytes(peak - idle), limit, 'MiB'),
    orientation('500 stalled readers: idle resident memory', toMebibytes(idle), 'MiB'),
    exactly(`500 stalled readers: small reads served, of ${hits}`, served.length, hits),
    orientation('500 stalled readers: small read, median', quantile(0.5), 'ms'),
    atMost('500 stalled readers: small read, slowest of 100', quantile(0.99), 50, 'ms'),
  ];
}

/** A client that reads the beginning of an answer and then nothing more; gone after the figure. */
function stallOn(url: string): { readonly socket: Socket; readonly answered: Promise<void> } {
  const { hostname, port, pathname } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => {
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  });
  socket.once('data', () => {
    socket.pause();
    resolve();
  });
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('a stalled reader was cut off before its first byte')));
  return { socket, answered: promise };
}

/** Kept when the store has sent nothing for a second: everything is stalled, up to the last buffer. */
async function storeIsQuiet(lab: Lab): Promise<void> {
  let [before, quiet] = [-1, 0];
  for (let second = 0; second < 120 && quiet < 1; second++) {
    await wait(1000);
    const { bodyBytes } = await lab.store.report();
    quiet = bodyBytes === before ? quiet + 1 : 0;
    before = bodyBytes;
  }
}

function toMebibytes(bytes: number): number {
  return Math.round((bytes / mebibyte) * 10) / 10;
}
