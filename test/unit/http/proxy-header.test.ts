import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PROXY_HEADER_LIMIT_BYTES, parseProxyHeader } from '../../../src/http/proxy-header.ts';

const beginning = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** A header of version 2. */
function v2(command: number, family: number, rest: Buffer, lengthBytes = rest.length): Buffer {
  const fixed = Buffer.from([command, family, lengthBytes >> 8, lengthBytes & 0xff]);
  return Buffer.concat([beginning, fixed, rest]);
}

const ipv4 = Buffer.from([203, 0, 113, 9, 10, 0, 0, 1, 0xc0, 0x01, 0x00, 0x50]);
const ipv6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000001', 'hex'),
  Buffer.alloc(16),
  Buffer.alloc(4),
]);
const mapped = Buffer.concat([Buffer.from('00000000000000000000ffffcb007109', 'hex'), Buffer.alloc(20)]);
const tlvs = Buffer.from('0300040102030420000300aabb', 'hex');

const accepted: readonly [string, Buffer, string | undefined][] = [
  ['TCP4', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n'), '203.0.113.9'],
  ['TCP6', Buffer.from('PROXY TCP6 2001:DB8:0::1 ::1 65535 0\r\n'), '2001:db8::1'],
  ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
  ['UNKNOWN with whatever follows', Buffer.from('PROXY UNKNOWN a b c d\r\n'), undefined],
  ['the longest line', Buffer.from(`PROXY UNKNOWN ${'f'.repeat(91)}\r\n`), undefined],
  ['version 2 over IPv4', v2(0x21, 0x11, ipv4), '203.0.113.9'],
  ['version 2 over IPv6', v2(0x21, 0x21, ipv6), '2001:db8::1'],
  ['version 2, IPv4 within IPv6', v2(0x21, 0x21, mapped), '203.0.113.9'],
  ['version 2 with further values', v2(0x21, 0x11, Buffer.concat([ipv4, tlvs])), '203.0.113.9'],
  ['LOCAL', v2(0x20, 0x00, Buffer.alloc(0)), undefined],
  ['LOCAL with addresses, which do not count', v2(0x20, 0x11, ipv4), undefined],
  ['an unspecified family', v2(0x21, 0x00, tlvs), undefined],
  ['a unix socket', v2(0x21, 0x31, Buffer.alloc(216)), undefined],
];

const refused: readonly [string, Buffer][] = [
  ['a request', Buffer.from('GET / HTTP/1.1\r\n')],
  ['a TLS handshake', Buffer.from('160301', 'hex')],
  ['lower case', Buffer.from('proxy TCP4 203.0.113.9 10.0.0.1 1 2\r\n')],
  ['another family', Buffer.from('PROXY UDP4 203.0.113.9 10.0.0.1 1 2\r\n')],
  ['an address of another family', Buffer.from('PROXY TCP4 ::1 ::1 1 2\r\n')],
  ['two families', Buffer.from('PROXY TCP6 ::1 10.0.0.1 1 2\r\n')],
  ['no address', Buffer.from('PROXY TCP4 example.test 10.0.0.1 1 2\r\n')],
  ['a zone', Buffer.from('PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n')],
  ['a port too many', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 1 2 3\r\n')],
  ['a port too few', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 1\r\n')],
  ['a port that is none', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 65536 1\r\n')],
  ['a port with a zero before it', Buffer.from('PROXY TCP4 203.0.113.9 10.0.0.1 01 1\r\n')],
  ['two blanks', Buffer.from('PROXY  TCP4 203.0.113.9 10.0.0.1 1 2\r\n')],
  ['a line that is too long', Buffer.from(`PROXY UNKNOWN ${'f'.repeat(92)}\r\n`)],
  ['a line without an end', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
  ['version 1 in a header of version 2', v2(0x11, 0x11, ipv4)],
  ['another command', v2(0x22, 0x11, ipv4)],
  ['another address family', v2(0x21, 0x41, ipv4)],
  ['another protocol', v2(0x21, 0x13, ipv4)],
  ['too few bytes for addresses', v2(0x21, 0x11, ipv4.subarray(1))],
  ['too many bytes', v2(0x21, 0x11, Buffer.alloc(4_097))],
];

it.each(accepted)('reads %s', (_, bytes, address) => {
  expect(parseProxyHeader(bytes)).toEqual({ kind: 'header', lengthBytes: bytes.length, address });
});

it.each(refused)('refuses %s', (_, bytes) => {
  expect(parseProxyHeader(bytes)).toEqual({ kind: 'malformed' });
});

it.each(accepted)('waits for the rest of %s, and leaves what follows it', (_, bytes) => {
  const whole = parseProxyHeader(bytes);
  for (let end = 0; end < bytes.length; end++)
    expect(parseProxyHeader(bytes.subarray(0, end)), `${end} bytes`).toEqual({ kind: 'incomplete' });
  expect(parseProxyHeader(Buffer.concat([bytes, bytes]))).toEqual(whole);
});

it('says the same of a beginning and of all that begins with it, and waits for no more than the limit', () => {
  const header = fc.constantFrom(...accepted.map(([, bytes]) => bytes), ...refused.map(([, bytes]) => bytes));
  const spoiled = fc.tuple(header, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
    const copy = Buffer.from(bytes);
    copy[at % copy.length] = byte;
    return copy;
  });
  const rest = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(
      fc.oneof(
        spoiled,
        fc.uint8Array().map(bytes => Buffer.from(bytes)),
      ),
      rest,
      fc.nat(),
      (begun, more, at) => {
        const bytes = Buffer.concat([begun, more]);
        const whole = parseProxyHeader(bytes);
        const part = parseProxyHeader(bytes.subarray(0, at % (bytes.length + 1)));
        if (part.kind !== 'incomplete') expect(part).toEqual(whole);
        const filled = Buffer.concat([begun, Buffer.alloc(PROXY_HEADER_LIMIT_BYTES)]);
        expect(parseProxyHeader(filled).kind).not.toBe('incomplete');
      },
    ),
    { numRuns: 2_000 },
  );
});
