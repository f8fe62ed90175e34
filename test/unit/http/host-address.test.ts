import { expect, it } from 'vitest';
import { hostOf, isAnyAddress, isLoopbackAddress, isLoopbackHost } from '../../../src/http/host-address.ts';

it.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['127.evil.example.test', false],
  ['10.0.0.1', false],
])('knows whether %s is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

it('a name is no address', () => {
  expect(['localhost', '127.a', '::1', '127.0.0.9'].map(isLoopbackAddress)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

it.each([
  ['http://[::1]:8080/', '::1'],
  ['https://store.test', 'store.test'],
  ['http://10.0.0.1:80', '10.0.0.1'],
])('the host of %s is %s', (url, host) => {
  expect([hostOf(url), hostOf(new URL(url))]).toEqual([host, host]);
});

it('knows the addresses that stand for all', () => {
  expect(['0.0.0.0', '::', '127.0.0.1', 'localhost'].map(isAnyAddress)).toEqual([true, true, false, false]);
});
