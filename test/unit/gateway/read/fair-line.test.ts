import { expect, it } from 'vitest';
import { FairLine } from '../../../../src/gateway/read/fair-line.ts';

type Named = { readonly client: string; readonly name: string };

function lineOf(...added: readonly (readonly [client: string, name: string])[]): FairLine<Named> {
  const line = new FairLine<Named>();
  for (const [client, name] of added) line.add({ client, name });
  return line;
}

/** Takes out at most so many, and gives their names. */
function taken(line: FairLine<Named>, most = Infinity): string[] {
  const names: string[] = [];
  while (names.length < most) {
    const one = line.take();
    if (!one) break;
    names.push(one.name);
  }
  return names;
}

it('clients take turns, each with its own in the order in which it asked', () => {
  const line = lineOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['b', 'b2']);
  expect(line.size).toBe(6);
  expect(taken(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect([line.size, line.take()]).toEqual([0, undefined]);
});

it('a client that had its turn waits behind the others', () => {
  const line = lineOf(['a', 'a1'], ['b', 'b1']);
  line.take();
  line.add({ client: 'a', name: 'a2' });
  expect(taken(line)).toEqual(['b1', 'a2']);
});

it('what waits for a client already does not wait twice', () => {
  expect(taken(lineOf(['a', 'k'], ['a', 'k'], ['b', 'k']))).toEqual(['k', 'k']);
});

it('a client has 64 at most', () => {
  const line = lineOf();
  for (let number = 0; number < 100; number++) line.add({ client: 'a', name: `k${number}` });
  expect(taken(line)).toEqual(Array.from({ length: 64 }, (_, number) => `k${number}`));
});

it('with many clients each has less, and there are 256 of them', () => {
  const line = lineOf();
  for (let number = 0; number < 64; number++)
    for (let client = 0; client < 300; client++) line.add({ client: String(client), name: String(number) });
  expect(line.size).toBe(256 * 16);
});

it('where 256 clients wait, each turn makes room for another one, in the place of whoever has had it', () => {
  const line = lineOf();
  for (let client = 0; client < 256; client++)
    for (const name of ['first', 'second']) line.add({ client: String(client), name: `${client} ${name}` });
  line.add({ client: 'early', name: 'forgotten' });
  expect([line.size, taken(line, 1)]).toEqual([512, ['0 first']]);
  line.add({ client: 'new', name: 'in time' });
  line.add({ client: 'late', name: 'forgotten' });
  // the one that has had its turn would have come in again, like any other
  line.add({ client: '0', name: '0 third' });
  expect(line.size).toBe(511);
  const rest = taken(line);
  expect(rest.slice(254, 257)).toEqual(['255 first', 'in time', '1 second']);
  expect(rest).toHaveLength(511);
  expect(rest.filter(name => name === 'forgotten' || name.startsWith('0 '))).toEqual([]);
});

it('is filled over and over by others, and a newcomer that comes as often as they do has a turn', () => {
  const line = lineOf();
  let number = 0;
  for (let client = 0; client < 300; client++) line.add({ client: String(client), name: 'k' });
  const order = [...Array.from({ length: 300 }, (_, client) => String(client)), 'new'];
  const turns = new Map<string, number>();
  for (let round = 0; round < 3_000; round++) {
    const turn = line.take();
    if (turn) turns.set(turn.client, (turns.get(turn.client) ?? 0) + 1);
    for (let index = 0; index < 5; index++) {
      const client = order[(number * 7_919) % order.length] ?? '';
      line.add({ client, name: `k${number++}` });
    }
  }
  expect(turns.get('new')).toBeGreaterThan(0);
});
