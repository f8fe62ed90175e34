import { expect, it } from 'vitest';
import { keyOfForm } from '../../../src/s3/form-key.ts';

const codeOf = (text: string, fileName: string) => {
  try {
    return keyOfForm(text, fileName);
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

/** A key in which `*` stands for the placeholder of the file's name. */
const filled = (text: string) => text.replaceAll('*', () => String.raw`$\{filename}`.replace('\\', ''));

it.each([
  ['in/k', 'a.txt', 'in/k'],
  [filled('in/*'), 'a.txt', 'in/a.txt'],
  [filled('*-*'), '/dir/a$&.txt', 'a$&.txt-a$&.txt'],
  [filled('*'), 'C:\\\\dir\\\\a.txt', 'a.txt'],
])('the key %j with the file %j is %j', (text, fileName, key) => {
  expect(keyOfForm(text, fileName)).toBe(key);
});

it.each([
  ['', 'a.txt'],
  [filled('*'), ''],
  [filled('**'), 'dir/'],
])('an empty key would be the bucket: %j with the file %j is refused', (text, fileName) => {
  expect(codeOf(text, fileName)).toBe('InvalidArgument');
});

it('a key is no longer than that of an object, however often it names its file', () => {
  expect(codeOf('k'.repeat(1024), '')).toBe('k'.repeat(1024));
  expect(codeOf('k'.repeat(1025), '')).toBe('KeyTooLongError');
  expect(codeOf(filled('*').repeat(1300), 'n'.repeat(16_000))).toBe('KeyTooLongError');
  expect(codeOf(filled('é*'), 'é'.repeat(512))).toBe('KeyTooLongError');
});

it('a key that is too long is not put together', () => {
  // its length is more than a string can have
  expect(codeOf(filled('*').repeat(20_000), 'n'.repeat(30_000))).toBe('KeyTooLongError');
});
