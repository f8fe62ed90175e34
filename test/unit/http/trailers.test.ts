import { expect, it } from 'vitest';
import { passedTrailers, takesTrailers } from '../../../src/http/trailers.ts';

it.each([
  ...['Content-Length', 'Content-Type', 'Content-Encoding', 'Content-Range', 'Transfer-Encoding', 'Trailer'],
  ...[
    'Set-Cookie',
    'Cache-Control',
    'CDN-Cache-Control',
    'Expires',
    'Age',
    'Date',
    'Vary',
    'Location',
    'Host',
  ],
  ...['Authorization', 'WWW-Authenticate', 'If-None-Match', 'Connection', 'Proxy-Authenticate', 'Via'],
  ...['Access-Control-Allow-Origin', 'Cross-Origin-Opener-Policy', 'Report-To', 'X-Accel-Expires'],
  ...['Cache-Tag', 'Surrogate-Key', 'Cache-Groups', 'Cache-Group-Invalidation', 'No-Vary-Search'],
])('%s means nothing behind the content (RFC 9110 §6.5.1)', name => {
  expect(passedTrailers([name, 'x', 'X-Own', 'y'])).toEqual(['x-own', 'y']);
});

it('what is known only at the end is passed on, as often as it comes, if it is well formed', () => {
  const raw = ['Content-Digest', 'a', 'ETag', '"x"', 'Server-Timing', 'a', 'server-timing', 'b'];
  expect(passedTrailers([...raw, 'bad name', 'x', 'x-bad', 'a\u0001b'])).toEqual([
    ...['content-digest', 'a', 'etag', '"x"', 'server-timing', 'a', 'server-timing', 'b'],
  ]);
});

it.each([
  [undefined, false],
  ['trailers', true],
  ['gzip;q=1, Trailers', true],
  ['x-trailers', false],
  ['deflate', false],
])('a client that says TE: %s takes trailers: %s', (te, takes) => {
  expect(takesTrailers(te)).toBe(takes);
});
