import { Server } from 'node:net';
import { expect, it } from 'vitest';
import { onceAccepted } from '../../../src/server/accept-queue.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const turn = () => new Promise(resolve => setImmediate(resolve));

it('closes once a turn of the event loop has brought no connection, after one second at the latest', async () => {
  const clock = new ManualClock();
  const server = new Server();
  let isClosed = false;
  onceAccepted(server, { clock }, () => {
    isClosed = true;
  });
  for (let count = 0; count < 5_000; count++) {
    server.emit('connection');
    await turn();
  }
  clock.advance(999);
  server.emit('connection');
  await turn();
  expect(isClosed).toBe(false);
  clock.advance(1);
  server.emit('connection');
  await turn();
  expect(isClosed).toBe(true);
  expect(server.listenerCount('connection')).toBe(0);
});

it('closes in the second turn without a connection, and not before its grace has passed', async () => {
  const clock = new ManualClock();
  let isClosed = false;
  onceAccepted(new Server(), { clock, graceMs: 250 }, () => {
    isClosed = true;
  });
  clock.advance(249);
  for (let count = 0; count < 100; count++) await turn();
  expect(isClosed).toBe(false);
  clock.advance(1);
  for (let count = 0; count < 3; count++) await turn();
  expect(isClosed).toBe(true);
});

/** A turn that takes so long. */
async function longTurn(clock: ManualClock, durationMs: number): Promise<void> {
  clock.holdUp(durationMs);
  await turn();
}

it('does not close after a turn that was long: connections may have come in it', async () => {
  const clock = new ManualClock();
  let isClosed = false;
  onceAccepted(new Server(), { clock }, () => {
    isClosed = true;
  });
  await turn();
  for (let count = 0; count < 30; count++) await longTurn(clock, 10);
  expect(isClosed).toBe(false);
  await turn();
  expect(isClosed).toBe(true);
});

it('accepts what has connected in a turn that took longer than the limit', async () => {
  const clock = new ManualClock();
  const server = new Server();
  let isClosed = false;
  onceAccepted(server, { clock }, () => {
    isClosed = true;
  });
  await turn();
  clock.advance(2_000);
  for (let count = 0; count < 10; count++) {
    server.emit('connection');
    await longTurn(clock, 10);
    expect(isClosed).toBe(false);
  }
  for (let count = 0; count < 10; count++) {
    server.emit('connection');
    await longTurn(clock, 10);
  }
  expect(isClosed).toBe(true);
});
