import type { CachingRow } from './caching-row.ts';
import { confirmed, control, hit, miss, statedRow as row, stale } from './caching-steps.ts';

const heard = (paragraph: string, says: string, requests: CachingRow['requests']): CachingRow => ({
  ...row(paragraph, 'all', says, control('max-age=60'), requests),
  policy: { clientDirectives: 'honour', maxStaleMs: 600_000 },
});
const asks = (value: string) => ({ sends: control(value) });

/** RFC 9111 §5.2.1. */
export const requestDirectiveRows: readonly CachingRow[] = [
  heard('5.2.1.1', 'max-age gets nothing older', [
    miss(),
    hit({ afterS: 9, ...asks('max-age=9') }),
    confirmed({ afterS: 1, ...asks('max-age=9') }),
  ]),
  heard('5.2.1.1', 'max-age=0 gets what is confirmed', [miss(), confirmed(asks('max-age=0'))]),
  heard('5.2.1.2', 'max-stale gets what is stale, no longer than it says', [
    miss(),
    stale({ afterS: 68, ...asks('max-stale=9'), gets: { has: { age: '68' }, lacks: ['warning'] } }),
    confirmed({ afterS: 1, ...asks('max-stale=9') }),
  ]),
  heard('5.2.1.2', 'max-stale without a number gets what is stale, however long it is', [
    miss(),
    stale({ afterS: 600, ...asks('max-stale') }),
  ]),
  {
    ...heard('5.2.1.2', 'max-stale gets nothing stale that must be revalidated', [
      miss(),
      confirmed({ afterS: 61, ...asks('max-stale') }),
    ]),
    origin: { head: control('max-age=60, must-revalidate') },
  },
  heard('5.2.1.3', 'min-fresh gets what is fresh for that long', [
    miss(),
    hit({ afterS: 50, ...asks('min-fresh=10') }),
    confirmed(asks('min-fresh=11')),
  ]),
  heard('5.2.1.4', 'no-cache gets what is confirmed', [miss(), confirmed(asks('no-cache')), hit()]),
  heard('5.2.1.5', 'no-store stores nothing', [
    { ...asks('no-store'), gets: { body: 'one' }, asks: ['GET'] },
    miss(),
  ]),
  heard('5.2.1.5', 'no-store gets what is fresh', [miss(), hit(asks('no-store'))]),
  heard('5.2.1.6', 'no-transform gets the content as it is', [
    miss(asks('no-transform')),
    hit({ ...asks('no-transform'), gets: { body: 'one' } }),
  ]),
  heard('5.2.1.7', 'only-if-cached gets what is stored', [miss(), hit(asks('only-if-cached'))]),
  heard('5.2.1.7', 'only-if-cached gets 504 where nothing is', [
    miss({ ...asks('only-if-cached'), gets: { status: 504 }, asks: [] }),
  ]),
  heard('5.2.1.7', 'only-if-cached gets 504 where that is stale', [
    miss(),
    miss({ afterS: 61, ...asks('only-if-cached'), gets: { status: 504 }, asks: [] }),
  ]),
  ...['no-cache', 'max-age=0', 'min-fresh=99', 'only-if-cached', 'no-store'].map(value =>
    row(
      '5.2.1',
      'stores',
      `${value} is not heard unless that is configured (docs/caching.md)`,
      control('max-age=60'),
      [miss(asks(value)), hit(asks(value))],
    ),
  ),
  heard('5.4', 'Pragma: no-cache gets what is confirmed', [
    miss(),
    confirmed({ sends: { pragma: 'no-cache' } }),
  ]),
  heard('5.4', 'Pragma counts for nothing beside Cache-Control', [
    miss(),
    hit({ sends: { pragma: 'no-cache', ...control('max-age=60') } }),
  ]),
];
