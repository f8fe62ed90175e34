import { expect, it } from 'vitest';
import { Collections } from '../../../../src/gateway/web/collected-body.ts';

const mebibyte = 2 ** 20;

/** How many bodies of 8 MiB there is room for now. */
function room(all: Collections): number {
  const bodies = Array.from({ length: 9 }, () => all.begin(Infinity, undefined));
  const kept = bodies.filter(body => body.add(Buffer.alloc(8 * mebibyte)));
  for (const body of kept) body.drop();
  return kept.length;
}

it('all bodies together have 64 MiB, and one 8 MiB', () => {
  const all = new Collections();
  expect(room(all)).toBe(8);
  const body = all.begin(Infinity, undefined);
  expect(body.add(Buffer.alloc(8 * mebibyte))).toBe(true);
  expect(body.add(Buffer.alloc(1))).toBe(false);
  expect(room(all)).toBe(8);
});

it('what a slow client has not taken counts until its response is closed (law 8)', () => {
  const all = new Collections();
  let leave = () => {};
  const body = all.begin(Infinity, {
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
