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
