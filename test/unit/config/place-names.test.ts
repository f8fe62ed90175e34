import { expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/default-config.ts';
import { listenKey, placeOf } from '../../../src/config/place-names.ts';

it('the variables named for a start without a file are those that it reads', () => {
  expect(placeOf('listen.port', false)).toBe('listen.port');
  expect(placeOf('state.directory', true)).toBe('state.directory');
  for (const key of ['listen.port', 'admin.port', 'backends.demo.directory']) {
    const [, variable = ''] = placeOf(key, true).split(', or ');
    expect(JSON.stringify(defaultConfig({ [variable]: '4711' })), key).toContain('4711');
  }
});

it('an address is named by its place in listen', () => {
  expect(listenKey([{ kind: 'tcp' }], 0)).toBe('listen.port');
  expect(listenKey([{ kind: 'tcp' }, { kind: 'unix' }], 1)).toBe('listen[1].path');
});
