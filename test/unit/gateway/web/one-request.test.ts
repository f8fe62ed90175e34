import { describe, expect, it } from 'vitest';
import { asksOtherwise } from '../../../../src/gateway/web/one-request.ts';
import { WebFlight } from '../../../../src/gateway/web/web-flight.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** A read of which it is counted how often somebody looks at what it sends. */
function readOf(fields: Fields, quota = 'a') {
  const counted = { looks: 0 };
  const read = {
    client: { quota },
    isPersonal: false,
    get sent() {
      counted.looks++;
      return fields.map(([name, value]) => ({ name, value, store: false }));
    },
  };
  return { read: read as unknown as WebRead, counted };
}

describe('two requests', () => {
  const own: Fields = [['accept', '*/*']];

  it.each<[string, Fields]>([
    ['the same fields', [['accept', '*/*']]],
    ['a range besides', [['range', 'bytes=0-1'], ...own]],
    ['a condition besides', [...own, ['if-none-match', '"1"']]],
  ])('ask the same: %s', (_, fields) => {
    expect(asksOtherwise(readOf(own).read, readOf(fields).read)).toBe(false);
  });

  it.each<[string, Fields]>([
    ['another value', [['accept', 'text/html']]],
    ['another name', [['accept-language', '*/*']]],
    ['one field more', [...own, ['x', '1']]],
    ['the same text in other fields', [['accept*', '/*']]],
    ['nothing', []],
  ])('ask otherwise: %s', (_, fields) => {
    expect(asksOtherwise(readOf(own).read, readOf(fields).read)).toBe(true);
  });
});

it('what those who wait have sent is looked at once, however often it is compared', () => {
  const long = 'x'.repeat(24_000);
  const reads = Array.from({ length: 20 }, () => readOf([['cookie', long]]));
  const [first, asked] = [readOf([['accept', '1']]), readOf([['cookie', long]], 'b')];
  const flight = new WebFlight(first.read, 0, () => undefined);
  const told: string[] = [];
  for (const { read } of reads)
    flight.wait(
      read,
      ({ kind }) => told.push(kind),
      () => false,
    );
  for (let look = 0; look < 5; look++) expect(flight.other([asked.read])).toBeUndefined();
  flight.dismiss(first.read);
  expect(told).toHaveLength(reads.length);
  expect(new Set([first, asked, ...reads].map(({ counted }) => counted.looks))).toEqual(new Set([1]));
});
