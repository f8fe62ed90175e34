import type { GatewayProcess } from '../support/gateway-process.ts';
import { atMost, exactly, type Finding, orientation } from './finding.ts';
import { type Lab, mebibyte, urlAt } from './lab.ts';
import { read } from './reader.ts';

const sizeBytes = 128 * mebibyte;
const rounds = 3;

interface Round {
  readonly right: boolean;
  readonly directMs: number;
  readonly throughMs: number;
  readonly firstByteMs: number;
  readonly requests: number;
  readonly storeBytes: number;
}

/**
 * A cold large read through a store that is slow on each connection, beside the same read from the store itself. The
 * object is cold, the programs are not: each has read another one before.
 */
export async function coldLarge(lab: Lab): Promise<readonly Finding[]> {
  const gateway = await lab.gateway();
  await lab.store.pace(30, 80_000_000);
  await oneRound(lab, gateway, 0);
  const done: Round[] = [];
  for (let seed = 1; seed <= rounds; seed++) done.push(await oneRound(lab, gateway, seed));
  for (const { directMs, throughMs } of done) {
    lab.say(`directly ${directMs.toFixed(0)} ms, through the gateway ${throughMs.toFixed(0)} ms`);
  }
  const worst = (pick: (round: Round) => number) => Math.max(...done.map(pick));
  const storeBytes = done.map(round => round.storeBytes);
  return [
    exactly('cold 128 MiB: right bodies', done.filter(({ right }) => right).length, rounds),
    orientation(
      'cold 128 MiB: read from the store itself',
      worst(round => round.directMs),
      'ms',
    ),
    atMost(
      'cold 128 MiB: share of the direct time',
      worst(round => round.throughMs / round.directMs),
      0.25,
    ),
    atMost(
      'cold 128 MiB: first byte',
      worst(round => round.firstByteMs),
      120,
      'ms',
    ),
    atMost(
      'cold 128 MiB: store requests',
      worst(round => round.requests),
      17,
    ),
    exactly('cold 128 MiB: bytes from the store, at least', Math.min(...storeBytes), sizeBytes, 'B'),
    exactly('cold 128 MiB: bytes from the store, at most', Math.max(...storeBytes), sizeBytes, 'B'),
  ];
}

async function oneRound(lab: Lab, gateway: GatewayProcess, seed: number): Promise<Round> {
  const key = `large-${seed}`;
  const content = await lab.put({ key, sizeBytes, seed });
  const direct = await read(lab.store.urlOf(key), [content]);
  await lab.store.clear();
  const through = await read(urlAt(gateway, key), [content]);
  const { requests, bodyBytes } = await lab.store.report();
  return {
    right: through.clean && through.fits.length === 1 && through.bytes === sizeBytes,
    directMs: direct.totalMs,
    throughMs: through.totalMs,
    firstByteMs: through.firstByteMs,
    requests: requests.length,
    storeBytes: bodyBytes,
  };
}
