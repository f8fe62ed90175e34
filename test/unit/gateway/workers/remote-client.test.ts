import { expect, it } from 'vitest';
import type { StoreCall } from '../../../../src/backend/store.ts';
import type { PeerLink } from '../../../../src/gateway/workers/peer-link.ts';
import { RemoteClient } from '../../../../src/gateway/workers/remote-client.ts';
import type { WireWebEnd } from '../../../../src/gateway/workers/web-messages.ts';

/** A client that waits, with a call that notes what it is told. */
function waiting() {
  const told: (string | number)[] = [];
  const ends: WireWebEnd[] = [];
  const call: StoreCall = {
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    took: lengthBytes => told.push(lengthBytes),
    abort: () => told.push('abort'),
  };
  const link = { notify: () => undefined } as unknown as PeerLink;
  const encode = () => {
    throw new Error('no record is told');
  };
  const client = new RemoteClient({
    number: 1,
    quota: 'q',
    link,
    encode,
    tell: () => 0,
    ended: end => ends.push(end),
  });
  client.wait(() => told.push('left'));
  return { client, call, told, ends };
}

it('the call keeps the pace of the client, also of what was told before there was a call', () => {
  const { client, call, told } = waiting();
  client.keepPace('pause');
  client.follow(call);
  client.keepPace({ tookBytes: 5 });
  client.keepPace('resume');
  expect(told).toEqual(['pause', 5, 'resume']);
});

it('a call that has ended keeps no pace, although its client still takes what was passed on', () => {
  const { client, call, told, ends } = waiting();
  client.follow(call);
  client.end();
  for (const pace of ['pause', { tookBytes: 5 }, 'resume'] as const) client.keepPace(pace);
  expect([told, ends]).toEqual([[], [{ kind: 'passed' }]]);
});

it('what it holds is given back once it has taken all, and it has not left then', () => {
  const { client, told } = waiting();
  client.whenGone(() => told.push('gone'));
  client.end();
  expect(told).toEqual([]);
  client.gone();
  client.gone();
  expect(told).toEqual(['gone']);
});

it('whoever leaves while it waits is told as having left, and a wait that begins later ends', async () => {
  const { client, told, ends } = waiting();
  client.gone();
  expect(told).toEqual(['left']);
  // the call of the other worker would wait for ever
  expect(ends).toEqual([{ kind: 'passed' }]);
  client.wait(() => told.push('left again'));
  await Promise.resolve();
  expect(told).toEqual(['left', 'left again']);
});

it('the call waits while too much is on the way to the other worker, however fast the client', () => {
  const { client, call, told } = waiting();
  client.follow(call);
  for (let chunk = 0; chunk < 3; chunk++) client.write(Buffer.alloc(256 * 1024));
  expect(told).toEqual(['pause']);
  client.keepPace({ gotBytes: 256 * 1024 });
  expect(told).toEqual(['pause']);
  client.keepPace({ gotBytes: 128 * 1024 });
  expect(told).toEqual(['pause', 'resume']);
});

it('the call waits for both, and is told nothing twice', () => {
  const { client, call, told } = waiting();
  client.follow(call);
  client.write(Buffer.alloc(512 * 1024));
  client.keepPace('pause');
  client.keepPace({ gotBytes: 512 * 1024 });
  expect(told).toEqual(['pause']);
  client.keepPace('resume');
  expect(told).toEqual(['pause', 'resume']);
});
