import { expect, it } from 'vitest';
import { attach } from '../../../src/base/attach.ts';

const NAME = Symbol('name');

it('a value goes with its owner, and with no copy of it', () => {
  const owner: { readonly kept: number; readonly [NAME]?: string } = { kept: 1 };
  expect(attach(owner, NAME, 'value')).toBe('value');
  expect(owner[NAME]).toBe('value');
  expect({ ...owner }[NAME]).toBeUndefined();
  expect(structuredClone(owner)).toEqual({ kept: 1 });
  expect(JSON.stringify(owner)).toBe('{"kept":1}');
  attach(owner, NAME, 'another');
  expect(owner[NAME]).toBe('another');
});
