import { expect, it } from 'vitest';
import { strykerArguments } from '../../mutation/arguments.ts';

it.each<[string, string[], string[]]>([
  ['nothing', [], []],
  ['a pattern', ['--mutate', 'src/http/**'], ['--mutate', 'src/http/**']],
  [
    'what a shell makes of a pattern',
    ['--mutate', 'src/http/range.ts', 'src/http/http-date.ts'],
    ['--mutate', 'src/http/range.ts,src/http/http-date.ts'],
  ],
  [
    'folders among them',
    ['--mutate', 'src/gateway/fill', 'src/gateway/gateway.ts', 'src/gateway/read/'],
    ['--mutate', 'src/gateway/fill/**/*.ts,src/gateway/gateway.ts,src/gateway/read/**/*.ts'],
  ],
  ['lines of a file', ['--mutate', 'src/http/range.ts:30-40'], ['--mutate', 'src/http/range.ts:30-40']],
  [
    'other options on both sides',
    ['--concurrency', '1', '--mutate', 'src/http', 'src/s3', '--force'],
    ['--mutate', 'src/http/**/*.ts,src/s3/**/*.ts', '--concurrency', '1', '--force'],
  ],
])('takes %s', (_, words, expected) => {
  expect(strykerArguments(words)).toEqual(expected);
});
