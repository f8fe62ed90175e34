import { expect, it } from 'vitest';
import { addressOfNode, canonicalAddress } from '../../../src/http/client-address.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::ffff:0:0', '0.0.0.0'],
  // these only contain what maps IPv4
  ['1::ffff:c000:201', '1::ffff:c000:201'],
  ['::ffff:c000:201:1', '::ffff:c000:201:1'],
  ['::1', '::1'],
  ['fe80::1%eth0', undefined],
  ['192.0.2', undefined],
  ['192.0.2.256', undefined],
  ['', undefined],
  ['name.test', undefined],
])('the canonical form of %s is %s', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:80', '192.0.2.1'],
  ['192.0.2.1:_port-1.x', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:65535', '2001:db8::1'],
  ['[2001:db8::1]:_hidden-port', '2001:db8::1'],
  // an address beside something else is none
  ['x[2001:db8::1]', undefined],
  ['[2001:db8::1]x', undefined],
  ['[2001:db8::1]:', undefined],
  ['[2001:db8::1]:123456', undefined],
  ['[2001:db8::1]:_', undefined],
  ['[2001:db8::1]:_a b', undefined],
  ['[192.0.2.1]', undefined],
  ['[]', undefined],
  ['x192.0.2.1:80', undefined],
  ['192.0.2.1:80x', undefined],
  ['192.0.2.1:', undefined],
  ['192.0.2.1:123456', undefined],
  ['unknown', undefined],
  ['_hidden', undefined],
])('the address in %s is %s', (node, address) => {
  expect(addressOfNode(node)).toBe(address);
});
