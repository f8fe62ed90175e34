import { expect, it } from 'vitest';
import { StoodInNames } from '../../../src/cache/stood-in-names.ts';
import { testKey } from '../../support/object-keys.ts';

const [one, other] = [testKey('web', '/', '/one'), testKey('web', '/', '/other')];

function noting() {
  const noted: string[] = [];
  const names = new StoodInNames(
    { drop: text => void noted.push(`drop ${text}`) },
    { raise: keySlot => void noted.push(`raise ${keySlot}`) },
  );
  return { names, noted: () => noted.splice(0) };
}

it('what is held of a name from before is given up, once for as long as its owner cannot be asked', () => {
  const { names, noted } = noting();
  names.begin(1, one);
  names.begin(1, one);
  names.begin(1, other);
  expect(noted()).toEqual([`drop ${one.text}`, `drop ${other.text}`]);
  names.end(2);
  names.begin(1, one);
  expect(noted()).toEqual([]);
  names.end(1);
  names.begin(1, one);
  expect(noted()).toEqual([`drop ${one.text}`]);
});

it('what the owner holds is outdated once, by the first answer, and by no answer to anything else', () => {
  const { names, noted } = noting();
  names.learned(one);
  names.begin(1, one);
  noted();
  names.learned(other);
  expect(noted()).toEqual([]);
  names.learned(one);
  names.learned(one);
  expect(noted()).toEqual([`raise ${one.keySlot}`]);
  names.end(1);
  names.learned(one);
  expect(noted()).toEqual([]);
});

it('as many names are known as have a bound', () => {
  const { names, noted } = noting();
  names.begin(1, one);
  for (let number = 1; number <= 4_096; number++) names.begin(1, testKey('web', '/', `/${number}`));
  noted();
  names.begin(1, one);
  expect(noted()).toEqual([`drop ${one.text}`]);
});
