import { expect, it } from 'vitest';
import { RemoteEncodings } from '../../../../src/gateway/workers/remote-encodings.ts';

const made = { costBytes: 500 } as never;

function encodings() {
  const asked: { resolve: (made: never) => void; reject: (error: Error) => void }[] = [];
  let grown = 0;
  const all = new RemoteEncodings<never>(
    () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
    () => grown++,
  );
  return { all, asked, grown: () => grown };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

it('the owner is asked once at a time, and what it made is known then', async () => {
  const { all, asked, grown } = encodings();
  all.make('br');
  all.make('br');
  expect([asked.length, all.in('br')]).toEqual([1, undefined]);
  asked[0]?.resolve(made);
  await settled();
  all.make('br');
  expect([asked.length, all.in('br'), grown()]).toEqual([1, made, 1]);
  expect(all.costBytes).toBeGreaterThan(500);
});

it('what could not be read is asked for again', async () => {
  const { all, asked } = encodings();
  all.make('br');
  asked[0]?.resolve(made);
  await settled();
  all.forget('br');
  expect(all.in('br')).toBeUndefined();
  all.make('br');
  expect(asked.length).toBe(2);
});

it('an owner that is lost, or did not make it, is asked again after some reads', async () => {
  const { all, asked } = encodings();
  all.make('br');
  asked[0]?.reject(new Error('the owner is lost'));
  await settled();
  for (let reads = 0; reads < 16; reads++) all.make('br');
  expect(asked.length).toBe(1);
  all.make('br');
  asked[1]?.resolve(undefined as never);
  await settled();
  for (let reads = 0; reads < 16; reads++) all.make('br');
  expect(asked.length).toBe(2);
  all.make('br');
  expect(asked.length).toBe(3);
});

it('what gains nothing is not asked for again', async () => {
  const { all, asked } = encodings();
  all.make('br');
  asked[0]?.resolve('no-gain' as never);
  await settled();
  all.make('br');
  expect([asked.length, all.in('br')]).toEqual([1, undefined]);
});
