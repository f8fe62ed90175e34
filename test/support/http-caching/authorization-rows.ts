import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss } from './caching-steps.ts';

const maxAge = control('max-age=60');

/** RFC 9111 §3.5. */
export const authorizationRows: readonly CachingRow[] = [
  ...['max-age=60', 'max-age=60, proxy-revalidate', 'max-age=60, private'].map(
    (control): CachingRow => ({
      ...{
        paragraph: '3.5',
        at: 'web origins',
        says: `what Authorization got is for nobody else, where it says ${control}`,
      },
      origin: { head: { 'cache-control': control } },
      requests: [miss({ sends: { authorization: 'Basic a' } }), miss()],
    }),
  ),
  ...['public', 's-maxage=60', 'must-revalidate'].map(
    (control): CachingRow => ({
      ...{
        paragraph: '3.5',
        at: 'web origins',
        says: `what Authorization got is for all, where it says ${control}`,
      },
      origin: { head: { 'cache-control': `max-age=60, ${control}` } },
      requests: [
        miss({ sends: { authorization: 'Basic a' } }),
        hit(),
        hit({ sends: { authorization: 'Basic b' } }),
      ],
    }),
  ),
  {
    ...{
      paragraph: '3.5',
      at: 'web origins',
      says: 'what is for all by must-revalidate is confirmed once it is stale',
    },
    origin: { head: { 'cache-control': 'max-age=1, must-revalidate' } },
    requests: [miss({ sends: { authorization: 'Basic a' } }), hit(), confirmed({ afterS: 1 })],
  },
  {
    ...{ paragraph: '3.5', at: 'web origins', says: 'what was got without is for Authorization, too' },
    origin: { head: maxAge },
    requests: [miss(), hit({ sends: { authorization: 'Basic a' } })],
  },
  {
    ...{
      paragraph: '3.5',
      at: 'stores',
      says: 'the gateway decides who may read, and the store sees no credentials of clients (docs/caching.md)',
    },
    origin: { head: maxAge },
    requests: [
      miss({ sends: { authorization: 'Basic a' }, carries: { authorization: undefined } }),
      hit({ sends: { authorization: 'Basic b' } }),
    ],
  },
];
