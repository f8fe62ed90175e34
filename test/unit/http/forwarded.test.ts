import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOfNode, canonicalAddress } from '../../../src/http/client-address.ts';
import {
  clientOfForwarded,
  type ForwardingFields,
  forwarded,
  xForwardedFor,
} from '../../../src/http/forwarded.ts';

const none = { xForwardedFor: undefined, xForwardedProto: undefined, forwarded: undefined };
const isTrusted = (address: string) => address.startsWith('10.');
const told = (fields: Partial<ForwardingFields>) =>
  clientOfForwarded('10.0.0.1', { ...none, ...fields }, isTrusted);

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['fe80::1%eth0', undefined],
    ['192.0.2.256', undefined],
    ['192.0.2.01', undefined],
    ['', undefined],
    ['localhost', undefined],
  ])('%s is %s', (text, address) => expect(canonicalAddress(text)).toBe(address));

  it.each([
    ['192.0.2.1:80', '192.0.2.1'],
    ['192.0.2.1:_port', '192.0.2.1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[192.0.2.1]', undefined],
    ['[2001:db8::1]4711', undefined],
    ['192.0.2.1:', undefined],
    ['unknown', undefined],
    ['_hidden', undefined],
    ['_192.0.2.1', undefined],
  ])('of the node %s is %s', (node, address) => expect(addressOfNode(node)).toBe(address));
});

describe('X-Forwarded-For', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:1234', '203.0.113.9'],
    [' 203.0.113.9 , 10.0.0.2 ', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9, 10.0.0.3, 10.0.0.2', '203.0.113.9'],
    ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['203.0.113.9, unknown', '10.0.0.1'],
    ['203.0.113.9, _hidden, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.4, 10.0.0.3', '10.0.0.4'],
    ['', '10.0.0.1'],
    [',', '10.0.0.1'],
    ['203.0.113.9,', '10.0.0.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
  ])('%j behind 10.0.0.1 is the request of %s', (value, address) => {
    expect(told({ xForwardedFor: value }).address).toBe(address);
  });

  it('is read from its end, and of a long one no more than 64 addresses', () => {
    const value = `${'198.51.100.1, '.repeat(100_000)}10.0.0.2`;
    expect(told({ xForwardedFor: value }).address).toBe('198.51.100.1');
    expect(xForwardedFor(value)).toHaveLength(64);
    expect(told({ xForwardedFor: `203.0.113.9, ${'10.0.0.2, '.repeat(99)}10.0.0.3` }).address).toBe(
      '10.0.0.2',
    );
  });

  it('never believes what stands before the first address that is not trusted', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('unknown', '10.1.1.1', ''));
    fc.assert(
      fc.property(
        fc.array(address),
        fc.array(fc.constantFrom('10.0.0.2', '10.9.9.9')),
        (spoofed, proxies) => {
          const value = [...spoofed, '203.0.113.9', ...proxies].join(', ');
          expect(told({ xForwardedFor: value }).address).toBe('203.0.113.9');
        },
      ),
    );
  });
});

describe('Forwarded', () => {
  it.each([
    ['for=192.0.2.43', [['192.0.2.43', undefined]]],
    ['For="[2001:db8:cafe::17]:4711"', [['2001:db8:cafe::17', undefined]]],
    ['for=192.0.2.60;proto=HTTP;by=203.0.113.43', [['192.0.2.60', 'http']]],
    [
      'for=192.0.2.43, for="198.51.100.17";proto=https',
      [
        ['192.0.2.43', undefined],
        ['198.51.100.17', 'https'],
      ],
    ],
    [
      'for=unknown, for=_hidden, for="_x,y;z"',
      [
        [undefined, undefined],
        [undefined, undefined],
        [undefined, undefined],
      ],
    ],
    [String.raw`for="192.0.2.\43"`, [['192.0.2.43', undefined]]],
    ['by=203.0.113.43', [[undefined, undefined]]],
  ])('%s', (value, hops) => {
    expect(forwarded(value)).toEqual(hops.map(([address, scheme]) => ({ address, scheme })));
  });

  it.each([
    'for',
    'for=',
    'for="192.0.2.43',
    'for=192.0.2.43;for=192.0.2.44',
    'for=[2001:db8::1]',
    'for=192.0.2.43:80',
    'for=192.0.2.43 for=192.0.2.44',
    'for =192.0.2.43',
    'for=192.0.2.43\n',
  ])('%j is malformed, and names nobody', value => {
    expect(forwarded(value)).toBeUndefined();
    expect(told({ forwarded: value }).address).toBe('10.0.0.1');
  });

  it('of a long one the last 64 count', () => {
    const value = Array.from({ length: 100 }, (_, index) => `for=10.0.0.${index}`).join();
    expect(forwarded(value)?.map(({ address }) => address)).toEqual(
      Array.from({ length: 64 }, (_, index) => `10.0.0.${36 + index}`),
    );
  });

  it('never throws, whatever it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), value => void forwarded(value)));
  });
});

it('two fields that disagree name nobody: one of them is what the client sent', () => {
  expect(told({ xForwardedFor: '203.0.113.9', forwarded: 'for=198.51.100.7' }).address).toBe('10.0.0.1');
  expect(told({ xForwardedFor: '203.0.113.9', forwarded: 'for=203.0.113.9' }).address).toBe('203.0.113.9');
  expect(told({ xForwardedFor: '203.0.113.9', forwarded: 'for=' }).address).toBe('10.0.0.1');
});

it.each<[Partial<ForwardingFields>, boolean | undefined]>([
  [{}, undefined],
  [{ xForwardedFor: '203.0.113.9' }, undefined],
  [{ xForwardedProto: 'https' }, true],
  [{ xForwardedProto: 'HTTPS' }, true],
  [{ xForwardedProto: 'http' }, false],
  [{ xForwardedProto: 'https, http' }, false],
  [{ xForwardedProto: 'https,https' }, true],
  [{ xForwardedProto: '' }, false],
  [{ forwarded: 'for=203.0.113.9;proto=https' }, true],
  [{ forwarded: 'for=203.0.113.9;proto=http, for=10.0.0.2;proto=https' }, false],
  [{ forwarded: 'for=1.2.3.4;proto=http, for=203.0.113.9;proto=https' }, true],
  [{ forwarded: 'for=203.0.113.9;proto=https', xForwardedProto: 'http' }, false],
])('%j: secure is %s', (fields, isSecure) => {
  expect(told(fields).isSecure).toBe(isSecure);
});
