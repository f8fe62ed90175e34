import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1_048_576;
const workers = 2;
const stalledReaders = 100;
/** More than the system takes for a connection whose client does not read. */
const stalledBytes = 32 * mebibyte;
/** About as much as a quiet machine does in `stepMs`. */
const turnsPerStep = 100;
const stepMs = 50;

let store: StandInStore;
let gateway: TestGateway;
let stalled: Socket[];
let stopTime: () => void;

beforeEach(async () => {
  store = await StandInStore.start();
  const clock = new ManualClock();
  gateway = await TestGateway.start({ storeUrl: store.url, arenaBytes: 28 * mebibyte, workers, clock });
  stopTime = timeByTurns(clock);
  stalled = [];
});

afterEach(async () => {
  stopTime();
  for (const socket of stalled) socket.destroy();
  await gateway.close();
  await store.close();
});

/**
 * Moves `clock` by the turns of the event loop, in which all work of this test is done. By the true time a miss waits a second
 * and a half for memory, in which a busy machine may have done next to nothing.
 */
function timeByTurns(clock: ManualClock): () => void {
  let turns = 0;
  let next: NodeJS.Immediate;
  const turn = () => {
    if (++turns % turnsPerStep === 0) clock.advance(stepMs);
    next = setImmediate(turn);
  };
  turn();
  return () => clearImmediate(next);
}

/** A client that reads the beginning of an answer and then nothing more; kept when it has stopped. */
function stall(key: string, worker: number): Promise<void> {
  const { hostname, port } = new URL(gateway.url(worker));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => {
    socket.write(`GET /b/${key} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  });
  socket.once('data', () => {
    socket.pause();
    resolve();
  });
  socket.once('error', reject);
  stalled.push(socket);
  return promise;
}

it('readers that have stopped reading keep neither misses nor what is read often from being served', async () => {
  const hot = patternContent(64 * 1024, 1000);
  store.put('b', 'hot', hot);
  for (let time = 0; time < 5; time++) await gateway.get('/b/hot', {}, time % workers);
  const stopped = Array.from({ length: stalledReaders }, (_, index) => {
    store.put('b', `stalled-${index % 20}`, patternContent(stalledBytes, index % 20));
    return stall(`stalled-${index % 20}`, index % workers);
  });
  await Promise.all(stopped);
  for (let round = 0; round < 8; round++) {
    const content = patternContent(3 * mebibyte + 5, 2000 + round);
    store.put('b', `miss-${round}`, content);
    const miss = await gateway.get(`/b/miss-${round}`, {}, round % workers);
    expect(miss.status).toBe(200);
    expect(miss.body.equals(copyOf(content))).toBe(true);
    const again = await gateway.get('/b/hot', {}, round % workers);
    expect(again.body.equals(copyOf(hot))).toBe(true);
  }
});
