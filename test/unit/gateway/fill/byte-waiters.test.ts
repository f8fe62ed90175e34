import { expect, it } from 'vitest';
import { ByteWaiters } from '../../../../src/gateway/fill/byte-waiters.ts';

it('tells a reader that its byte has arrived before anything else can happen', () => {
  const waiters = new ByteWaiters();
  const told: string[] = [];
  for (const name of ['near', 'far', 'gone']) {
    const reader = { arrived: () => told.push(name) };
    void waiters.wait(name === 'far' ? 100 : 99, Infinity, reader);
    if (name === 'gone') waiters.left(reader);
  }
  waiters.arrivedUntil(100);
  expect(told).toEqual(['near']);
  waiters.arrivedUntil(101);
  expect(told).toEqual(['near', 'far']);
  expect(waiters.isAwaited).toBe(false);
});

it('rejects the wait of a reader that throws when its byte arrives, and no other', async () => {
  const waiters = new ByteWaiters();
  const fault = new Error('unreadable');
  const throws = () => {
    throw fault;
  };
  const failed = expect(waiters.wait(1, Infinity, { arrived: throws })).rejects.toBe(fault);
  const other = waiters.wait(1, Infinity, { arrived: () => undefined });
  waiters.arrivedUntil(2);
  await failed;
  await other;
});

it('refuses the readers whose limit is reached', async () => {
  const waiters = new ByteWaiters();
  const soon = expect(waiters.wait(1, 500, undefined)).rejects.toThrow('full');
  const later = waiters.wait(1, 501, undefined);
  waiters.refuse(500, new Error('full'));
  await soon;
  waiters.arrivedUntil(2);
  await later;
});

it('tells whether it is readers in the middle of their answers alone that wait', () => {
  const waiters = new ByteWaiters();
  expect([waiters.isAwaited, waiters.awaitedBy]).toEqual([false, 'none']);
  const [begun, fresh] = [{ arrived: () => undefined }, { arrived: () => undefined }];
  void waiters.wait(5, Number.POSITIVE_INFINITY, begun);
  expect([waiters.isAwaited, waiters.awaitedBy]).toEqual([true, 'begun']);
  void waiters.wait(9, 1_500, fresh);
  expect(waiters.awaitedBy).toBe('new');
  waiters.left(fresh);
  expect(waiters.awaitedBy).toBe('begun');
});
