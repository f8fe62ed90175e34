import { expect, it } from 'vitest';
import { compileRules, decidingRules, type RuledBucket } from '../../../../src/gateway/request/key-rules.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const long = { ...defaultPolicy, ttlMs: 86_400_000 };
const short = { ...defaultPolicy, ttlMs: 1_000 };

function ruled(...rules: RuledBucket['rules']): RuledBucket {
  return { cache: defaultPolicy, rules };
}

it('of each section the first rule counts that covers the key and has it, then the bucket', () => {
  const rulesFor = compileRules(
    ruled(
      { keys: ['static/**'] },
      { keys: ['static/**', '!static/live/**'], cache: long },
      { keys: ['**'], cache: short },
    ),
  );
  expect(rulesFor('static/a').cache).toBe(long);
  expect(rulesFor('static/live/a').cache).toBe(short);
  expect(compileRules(ruled({ keys: ['a/*'], cache: long }))('a/b/c').cache).toBe(defaultPolicy);
});

it('keys with the same outcome have one object, as have all keys of a bucket without rules', () => {
  const rulesFor = compileRules(ruled({ keys: ['a/**'], cache: long }));
  expect(rulesFor('a/1')).toBe(rulesFor('a/2'));
  expect(rulesFor('a/1')).toBe(rulesFor('a/1'));
  expect(rulesFor('b')).toBe(rulesFor('c'));
  const plain = compileRules(ruled());
  expect(plain('a')).toBe(plain('b'));
});

it('of what a key may mean the strictest mode counts, and the first where they are the same', () => {
  const [bypass, confirmed] = [
    { ...long, mode: 'bypass' } as const,
    { ...long, mode: 'revalidate' } as const,
  ];
  const bucket = ruled(
    { keys: ['a'], cache: long },
    { keys: ['b'], cache: short },
    { keys: ['c'], cache: confirmed },
    { keys: ['d'], cache: bypass },
  );
  const rulesFor = compileRules(bucket, key => [...key]);
  const decided = ['ab', 'ba', 'ac', 'cad', 'dc'].map(key => rulesFor(key).cache);
  expect(decided).toEqual([long, short, confirmed, bypass, bypass]);
  expect(decidingRules(bucket, ['c', 'a', 'd']).map(({ number }) => number)).toEqual([4]);
});

it('the rules that decide something are told, each with its sections', () => {
  const rules = [{ keys: ['b'] }, { keys: ['a*'], cache: long }, { keys: ['**'], cache: short }];
  expect(decidingRules(ruled(...rules), ['ab'])).toEqual([
    { number: 2, keys: ['a*'], sections: { cache: long } },
  ]);
  expect(decidingRules(ruled(...rules), ['b'])).toEqual([
    { number: 3, keys: ['**'], sections: { cache: short } },
  ]);
});

it('what opens something counts where all that a key may mean have it, by the same rule', () => {
  const requestHeaders = { set: { authorization: 'Bearer x' }, remove: [] };
  const responseHeaders = { set: { 'x-frame-options': 'DENY' }, add: {}, remove: [] };
  const bucket = ruled(
    { keys: ['public/*'], requestHeaders, responseHeaders },
    { keys: ['b'], requestHeaders },
  );
  const rulesFor = compileRules(bucket, key => key.split(' '));
  expect(rulesFor('public/a').requests).toBeDefined();
  expect(rulesFor('public/a public/b').requests).toBeDefined();
  for (const key of ['public/a private/a', 'private/a public/a', 'public/a b'])
    expect(rulesFor(key).requests, key).toBeUndefined();
  expect(rulesFor('public/a private/a').answers).toBeDefined();
  expect(
    decidingRules(bucket, ['public/a', 'private/a']).map(({ sections }) => Object.keys(sections)),
  ).toEqual([['responseHeaders']]);
});
