import type { CachingRow } from './caching-row.ts';
import { control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');

/** RFC 9111 §4.4. */
export const invalidationRows: readonly CachingRow[] = [
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'MKACTIVITY'].map(
    (method): CachingRow => ({
      ...{
        paragraph: '4.4',
        at: 'web origins',
        says: `${method} that succeeds ends what is stored of its target`,
      },
      origin: { head: maxAge },
      requests: [miss(), { method, gets: {}, asks: [method] }, miss()],
    }),
  ),
  {
    ...{ paragraph: '4.4', at: 'stores', says: 'DELETE that succeeds ends what is stored of its target' },
    origin: { head: maxAge },
    requests: [miss(), { method: 'DELETE', gets: {}, asks: ['DELETE'] }, { gets: {}, asks: ['GET'] }],
  },
  ...[200, 201, 204, 303].map(
    (status): CachingRow => ({
      ...{
        paragraph: '4.4',
        at: 'web origins',
        says: `POST that is answered with ${status} ends what is stored`,
      },
      origin: { head: maxAge },
      requests: [
        miss(),
        { method: 'POST', origin: { status, body: '' }, gets: { status }, asks: ['POST'] },
        miss({
          origin: { head: { ...maxAge, etag: '"2"' }, body: 'two' },
          gets: { body: 'two' },
        }),
      ],
    }),
  ),
  ...[400, 404, 409].map(
    (status): CachingRow => ({
      ...{ paragraph: '4.4', at: 'web origins', says: `POST that is answered with ${status} ends nothing` },
      origin: { head: maxAge },
      requests: [miss(), { method: 'POST', origin: { status }, gets: { status }, asks: ['POST'] }, hit()],
    }),
  ),
  ...['OPTIONS', 'PROPFIND', 'REPORT'].map(
    (method): CachingRow => ({
      ...{ paragraph: '4.4', at: 'web origins', says: `${method}, which is safe, ends nothing` },
      origin: { head: maxAge },
      requests: [miss(), { method, gets: {}, asks: [method] }, hit()],
    }),
  ),
  ...['location', 'content-location'].flatMap((name): CachingRow[] => [
    {
      ...{ paragraph: '4.4', at: 'web origins', says: `what ${name} names of the same origin ends, too` },
      origin: { head: maxAge },
      requests: [
        miss(),
        miss({ path: '/b/other' }),
        {
          method: 'POST',
          origin: { status: 201, head: { [name]: '/b/other' } },
          gets: { status: 201 },
          asks: ['POST'],
        },
        miss({ path: '/b/other', origin: { head: maxAge } }),
      ],
    },
    {
      ...{ paragraph: '4.4', at: 'web origins', says: `what ${name} names of another origin does not` },
      origin: { head: maxAge },
      requests: [
        miss(),
        miss({ path: '/b/other' }),
        {
          ...{ method: 'POST', gets: { status: 201 }, asks: ['POST'] },
          origin: { status: 201, head: { [name]: 'http://other.test/b/other' } },
        },
        hit({ path: '/b/other' }),
      ],
    },
    ...[
      ["/b/q?x='1'&y=`^{}|", "/b/q?x='1'&y=`^{}|"],
      ['/b/q?', '/b/q?'],
      ['/b/ü', '/b/%C3%BC'],
      ["/b/q?x='ü'", '/b/q?x=%27%C3%BC%27'],
      ['../b/./q', '/b/q'],
      ["q?x='1'", "/b/q?x='1'"],
      ["?x='1'", "/b/k?x='1'"],
    ].map(([named = '', path = '']): CachingRow => {
      const sent = (text: string) => Buffer.from(text).toString('latin1');
      return {
        ...{ paragraph: '4.4', at: 'web origins', says: `${name} ${named} ends ${path}` },
        origin: { head: maxAge },
        requests: [
          miss({ path: sent(path) }),
          hit({ path: sent(path) }),
          {
            ...{ method: 'POST', gets: { status: 201 }, asks: ['POST'] },
            origin: { status: 201, head: { [name]: sent(named) } },
          },
          miss({ path: sent(path), origin: { head: maxAge } }),
        ],
      };
    }),
  ]),
];
