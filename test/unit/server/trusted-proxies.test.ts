import { expect, it } from 'vitest';
import { parseNetwork, trustsProxies } from '../../../src/server/trusted-proxies.ts';

it.each([
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['10.0.0.0/8', '::ffff:a01:203', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['10.0.0.0/8', 'no address', false],
])('%s and %s: %s', (network, address, isTrusted) => {
  expect(trustsProxies([network], 'tcp')(address)).toBe(isTrusted);
});

it('the other end of a unix socket has no address; who may connect is decided by its permissions', () => {
  expect(trustsProxies(['10.0.0.0/8'], 'unix')(undefined)).toBe(true);
});

it('who has reset a connection to a port has no address any more, and is no proxy', () => {
  expect(trustsProxies(['0.0.0.0/0', '::/0'], 'tcp')(undefined)).toBe(false);
});

it.each([
  '',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '::/129',
  'fe80::1%eth0',
  'host',
  '10.0.0.0/',
])('%j is no network', text => {
  expect(parseNetwork(text)).toBeUndefined();
});
