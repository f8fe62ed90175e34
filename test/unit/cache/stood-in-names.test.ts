import { expect, it } from 'vitest';
import { type ObjectKey, ownerOf } from '../../../src/cache/object-key.ts';
import { StoodInNames } from '../../../src/cache/stood-in-names.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';

/** What workers own, of three. */
function keysOf(owner: number): ObjectKey[] {
  const keys = Array.from({ length: 100 }, (_, number) => testKey('web', '/', `/${number}`));
  return keys.filter(({ hash }) => ownerOf(hash, 3) === owner);
}

const [own = testKey('', '', '')] = keysOf(0);
const [one = own, other = own] = keysOf(1).filter(({ hash }) => ownerOf(hash, 2) === 1);
const [third = own] = keysOf(2);

/** Those of worker 0. */
function noting(workers = 3) {
  const noted: string[] = [];
  const clock = new ManualClock();
  const names = new StoodInNames({
    ...{ clock, worker: 0, workers },
    table: { drop: text => void noted.push(`drop ${text}`) },
    epochs: { raise: keySlot => void noted.push(`raise ${keySlot}`) },
  });
  return { names, clock, noted: () => noted.splice(0) };
}

it('what is held of a name from before is given up, and a second after the first answer that is kept', () => {
  const { names, clock, noted } = noting();
  names.begin(one);
  names.begin(other);
  names.begin(one);
  expect(noted()).toEqual([`drop ${one.text}`, `drop ${other.text}`]);
  clock.advance(5_000);
  names.begin(one);
  names.answered(one, false);
  clock.advance(5_000);
  names.begin(one);
  expect(noted()).toEqual([`raise ${one.keySlot}`]);
  names.answered(one, false);
  clock.advance(999);
  names.answered(one, false);
  names.begin(one);
  names.end(2);
  expect(noted()).toEqual([]);
  clock.advance(1);
  for (const key of [one, one, other]) names.begin(key);
  expect(noted()).toEqual([`drop ${one.text}`]);
  names.end(1);
  names.begin(one);
  expect(noted()).toEqual([`drop ${one.text}`]);
});

it('of two workers the other one keeps what it has learned as long as the owner cannot be asked', () => {
  const { names, clock, noted } = noting(2);
  names.begin(one);
  names.answered(one, false);
  names.answered(one, false);
  noted();
  clock.advance(60_000);
  names.begin(one);
  expect(noted()).toEqual([]);
});

it('what others hold is outdated by the first answer each time, and by no answer to anything else', () => {
  const { names, clock, noted } = noting();
  for (const key of [one, other]) names.begin(key);
  noted();
  for (const key of [one, one, own]) names.answered(key, false);
  expect(noted()).toEqual([`raise ${one.keySlot}`]);
  clock.advance(1_000);
  names.begin(one);
  noted();
  names.answered(one, true);
  expect(noted()).toEqual([`raise ${one.keySlot}`]);
});

it('what others hold is outdated by no answer that a worker asks for while the owner is there', () => {
  const { names, noted } = noting();
  names.answered(one, true);
  expect(noted()).toEqual([]);
});

it('what others hold is outdated by each answer that comes when the owner can be asked again', () => {
  const { names, noted } = noting();
  for (const key of [one, third]) names.begin(key);
  names.end(1);
  noted();
  for (const key of [one, one, third, third]) names.answered(key, false);
  expect(noted()).toEqual([`raise ${one.keySlot}`, `raise ${one.keySlot}`, `raise ${third.keySlot}`]);
});

it.each([
  [4_096, 1],
  [128, 8_192],
])('%i names of one owner are known at a time, of %i characters each', (count, characters) => {
  const { names, noted } = noting();
  const others = Array.from({ length: count }, (_, number) => ({
    ...one,
    text: String.fromCharCode(number).padEnd(characters, 'x'),
  }));
  names.begin(one);
  for (const key of others) names.begin(key);
  noted();
  names.begin(others.at(-1) ?? one);
  expect(noted()).toEqual([]);
  names.begin(one);
  expect(noted()).toEqual([`drop ${one.text}`]);
});
