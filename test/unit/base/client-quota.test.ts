import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ClientQuota, clientOf } from '../../../src/base/client-quota.ts';

it('gives each client so many, and all together so many', () => {
  const quota = new ClientQuota({ inAll: 3, perClient: 2 });
  expect(['a', 'a', 'a', 'b', 'b', 'c'].map(client => quota.take(client))).toEqual([
    ...[true, true, false],
    ...[true, false, false],
  ]);
  quota.giveBack('a');
  expect(quota.take('c')).toBe(true);
});

it('lets nobody give back what was not taken', () => {
  const quota = new ClientQuota({ inAll: 3, perClient: 2 });
  quota.take('a');
  expect(() => quota.giveBack('b')).toThrow(RangeError);
  expect(() => quota.giveBack('a', 2)).toThrow(RangeError);
  expect(quota.used).toBe(1);
});

it('keeps to its limits, and is empty when all has been given back, whoever takes and gives back in what order', () => {
  const step = fc.record({ client: fc.constantFrom('a', 'b', 'c'), isTaking: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(step),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (steps, inAll, perClient) => {
        const quota = new ClientQuota({ inAll, perClient });
        const held: string[] = [];
        const heldBy = (client: string) => held.filter(each => each === client).length;
        for (const { client, isTaking } of steps) {
          if (isTaking) {
            const hasRoom = held.length < inAll && heldBy(client) < perClient;
            expect(quota.take(client)).toBe(hasRoom);
            if (hasRoom) held.push(client);
          } else if (heldBy(client) > 0) {
            held.splice(held.indexOf(client), 1);
            quota.giveBack(client);
          }
          expect(quota.used).toBe(held.length);
          expect(quota.clients).toBe(new Set(held).size);
        }
        for (const client of held) quota.giveBack(client);
        expect([quota.used, quota.clients]).toEqual([0, 0]);
      },
    ),
  );
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:0001:2::5', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1::', '2001:db8:1:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s counts with %s', (address, client) => {
  expect(clientOf(address)).toBe(client);
});

it('a connection that is gone has no address', () => {
  expect(clientOf(undefined)).toBe('');
});
