import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutHopByHop } from '../../../src/http/hop-by-hop.ts';

it('keeps what concerns more than the connection, in order and as it was spelled', () => {
  const raw = ['ETag', '"t"', 'Content-Type', 'a/b', 'x-amz-meta-a', '1', 'X-Amz-Meta-A', '2'];
  expect(withoutHopByHop(raw)).toEqual(raw);
});

it('leaves out what is always about the connection (RFC 9110 §7.6.1)', () => {
  const raw = [
    'Connection',
    'close',
    'KEEP-ALIVE',
    'timeout=5',
    'Transfer-Encoding',
    'chunked',
    'Upgrade',
    'h2c',
  ];
  const more = ['Proxy-Authenticate', 'Basic', 'Proxy-Connection', 'close', 'TE', 'trailers', 'Trailer', 'x'];
  expect(withoutHopByHop([...raw, 'Date', 'today', ...more])).toEqual(['Date', 'today']);
});

it('keeps what says for whom an answer is, though Connection names it (RFC 9110 §7.6.1 forbids that)', () => {
  const raw = [
    'Vary',
    'Cookie',
    'Set-Cookie',
    'a=b',
    'CDN-Cache-Control',
    'no-store',
    'Cache-Control',
    'private',
  ];
  const named = 'vary, Set-Cookie, cdn-cache-control, cache-control, x-hop';
  expect(withoutHopByHop([...raw, 'Connection', named, 'x-hop', 'c'])).toEqual(raw);
});

it('keeps what names an answer, tags it or ends others, though Connection names it', () => {
  const names = ['Content-Location', 'Location', 'Cache-Groups', 'Cache-Group-Invalidation', 'Cache-Tag'];
  const raw = [...names, 'Surrogate-Key', 'Content-Language'].flatMap(name => [name, 'a']);
  const named = raw.filter((_text, index) => index % 2 === 0).join(', ');
  expect(withoutHopByHop([...raw, 'Connection', named])).toEqual(raw);
});

it.each([
  ...['Age', 'Cache-Control', 'Date', 'Expires', 'Set-Cookie', 'Vary'],
  ...['CDN-Cache-Control', 'Tidegate-Cache-Control'],
  ...['Content-Encoding', 'Content-Language', 'Content-Range', 'Content-Type', 'ETag', 'Last-Modified'],
])('keeps %s, though Connection names it', name => {
  expect(withoutHopByHop([name, 'a', 'Connection', `close, ${name}`])).toEqual([name, 'a']);
});

it('leaves out of trailers what the Connection before them names', () => {
  const head = ['X-Sum', 'a', 'Connection', 'x-sum, x-other'];
  expect(withoutHopByHop(['X-Sum', 'b', 'x-kept', 'c', 'Keep-Alive', 'd'], head)).toEqual(['x-kept', 'c']);
});

it('leaves out what Connection names, in whatever line, case and place', () => {
  const raw = [
    'X-Hop',
    'a',
    'connection',
    'close, x-HOP ,, x-two',
    'x-two',
    'b',
    'x-three',
    'c',
    'Connection',
    'X-Three',
  ];
  expect(withoutHopByHop([...raw, 'x-kept', 'd'])).toEqual(['x-kept', 'd']);
});

it('gives no field that any Connection line names, and every other one', () => {
  const name = fc.constantFrom('x-a', 'X-A', 'x-b', 'server', '__proto__', 'constructor');
  const lines = fc.array(fc.tuple<[string, string]>(name, fc.string()), { maxLength: 6 });
  fc.assert(
    fc.property(lines, fc.array(name, { maxLength: 3 }), fc.nat(6), (fields, named, place) => {
      const all = fields.toSpliced(Math.min(place, fields.length), 0, ['Connection', named.join(' , ')]);
      const isNamed = ([field]: [string, string]) =>
        named.some(option => option.toLowerCase() === field.toLowerCase());
      expect(withoutHopByHop(all.flat())).toEqual(fields.filter(field => !isNamed(field)).flat());
    }),
  );
});

it('no other field names what is left out', () => {
  const raw = ['X-Connection', 'etag', 'Vary', 'Date', 'ETag', '"t"', 'Date', 'today'];
  expect(withoutHopByHop(raw)).toEqual(raw);
});
