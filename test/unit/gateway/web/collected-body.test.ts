import { expect, it } from 'vitest';
import { Collections } from '../../../../src/gateway/web/collected-body.ts';

const mebibyte = 2 ** 20;

/** How many bodies of 8 MiB there is room for now. */
function room(all: Collections): number {
  const bodies = Array.from({ length: 9 }, () => all.begin(Infinity, undefined));
  const kept = bodies.filter(body => body.add(Buffer.alloc(8 * mebibyte)) === 'kept');
  for (const body of kept) body.drop();
  return kept.length;
}

it('all bodies together have 64 MiB, and one 8 MiB', () => {
  const all = new Collections();
  expect(room(all)).toBe(8);
  const body = all.begin(Infinity, undefined);
  expect(body.add(Buffer.alloc(8 * mebibyte))).toBe('kept');
  expect(body.add(Buffer.alloc(1))).toBe('too-long');
  expect(room(all)).toBe(8);
});

it('what a slow client has not taken counts until its response is closed (law 8)', () => {
  const all = new Collections();
  let leave = () => {};
  const body = all.begin(Infinity, {
    quota: 'one',
    whenGone: then => {
      leave = then;
    },
  });
  body.add(Buffer.alloc(8 * mebibyte));
  body.drop();
  expect(room(all)).toBe(7);
  leave();
  expect(room(all)).toBe(8);
});

it('one client has a quarter, and what it has taken is free again', () => {
  const all = new Collections();
  const leave: (() => void)[] = [];
  const bodyOf = (quota: string) => all.begin(Infinity, { quota, whenGone: then => leave.push(then) });
  const kept = (quota: string) => {
    const body = bodyOf(quota);
    const isKept = body.add(Buffer.alloc(8 * mebibyte)) === 'kept';
    body.drop();
    return isKept;
  };
  expect(['slow', 'slow', 'slow', 'other'].map(kept)).toEqual([true, true, false, true]);
  for (const then of leave) then();
  expect(kept('slow')).toBe(true);
});

it('clients that take nothing leave room for the next one', () => {
  const all = new Collections();
  const isKept = (quota: string, lengthBytes: number) => {
    const body = all.begin(Infinity, { quota, whenGone: () => {} });
    const kept = body.add(Buffer.alloc(lengthBytes)) === 'kept';
    body.drop();
    return kept;
  };
  for (let client = 0; client < 8; client++) while (isKept(`slow ${client}`, mebibyte / 16));
  expect(isKept('other', mebibyte / 8)).toBe(true);
});
