import { expect, it } from 'vitest';
import { nearestName } from '../../../src/base/nearest-name.ts';

const names = ['serve', 'check', 'purge', 'explain', 'card', 'sign', 'store', 'GetObject', 'GetObjectAcl'];

it.each([
  ['chek', 'check'],
  ['hceck', 'check'],
  ['srve', 'serve'],
  ['stroe', 'store'],
  ['getobject', 'GetObject'],
  ['GetObjects', 'GetObject'],
  ['GetObjectACL', 'GetObjectAcl'],
])('%s is probably %s', (written, meant) => {
  expect(nearestName(written, names)).toBe(meant);
});

it.each(['fly', '', 'x', 'DeleteEverything', 'a'.repeat(100_000)])('nothing is near to %s', written => {
  expect(nearestName(written, names)).toBeUndefined();
});
