import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Buckets } from '../../src/embedded-store/disk/buckets.ts';
import { Catalogue } from '../../src/embedded-store/disk/catalogue.ts';
import {
  type Listed,
  type ListingEntry,
  type ListingPosition,
  listPage,
  nameOf,
  positionAfter,
  positionBefore,
  type Seek,
} from '../../src/embedded-store/disk/listing.ts';
import { seekCurrent, seekVersions } from '../../src/embedded-store/disk/seek-versions.ts';
import { Versions } from '../../src/embedded-store/disk/versions.ts';

const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', 'ü', '😀', '\uffff'),
  minLength: 1,
  maxLength: 5,
});
const prefix = fc.string({ unit: fc.constantFrom('a', '/', 'ü'), maxLength: 2 });
const delimiter = fc.constantFrom('', '/', 'b/');
/** What happens in a bucket with versions: each key is written, or hidden behind a marker. */
const history = fc.array(fc.record({ key, kind: fc.constantFrom('object' as const, 'marker' as const) }), {
  maxLength: 25,
});
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function bucketOf(events: readonly { key: string; kind: 'object' | 'marker' }[]): Catalogue {
  const catalogue = new Catalogue(':memory:', { require: () => undefined, giveUp: () => undefined });
  new Buckets(catalogue).create({
    name: 'bucket',
    createdMs: 0,
    settings: {
      ownerId: '0',
      acl: 'private',
      versioning: 'enabled',
      payer: 'BucketOwner',
      isLockEnabled: false,
      cors: [],
      lifecycle: [],
    },
  });
  const versions = new Versions(catalogue);
  for (const [index, event] of events.entries()) {
    const identity = { bucket: 'bucket', key: event.key, versionId: String(index), lastModifiedMs: 0 };
    const attributes = {
      contentHeaders: {},
      metadata: [],
      tags: [],
      acl: 'private' as const,
      encryption: { kind: 'managed' as const },
    };
    const object = { ...identity, sizeBytes: 0, etag: '', storageClass: 'STANDARD' as const, attributes };
    versions.add(
      event.kind === 'object' ? { ...object, kind: 'object' } : { ...identity, kind: 'marker' },
      [],
    );
  }
  return catalogue;
}

/** All pages, each going on behind the last entry of the one before. */
function allPages<Item extends Listed>(
  query: { prefix: string; delimiter: string; maxEntries: number },
  seek: Seek<Item>,
  next: (last: ListingEntry<Item>) => ListingPosition,
): ListingEntry<Item>[] {
  const entries: ListingEntry<Item>[] = [];
  for (let place = positionBefore(''); ; ) {
    const page = listPage(query, place, seek);
    expect(page.entries.length).toBeLessThanOrEqual(query.maxEntries);
    entries.push(...page.entries);
    const last = page.entries.at(-1);
    if (!page.isTruncated || !last) return entries;
    place = next(last);
  }
}

it('pages of a listing are together what is there, in the order of bytes, rolled up once', () => {
  fc.assert(
    fc.property(
      history,
      prefix,
      delimiter,
      fc.integer({ min: 1, max: 4 }),
      (events, start, separator, max) => {
        const catalogue = bucketOf(events);
        const query = { prefix: start, delimiter: separator, maxEntries: max };
        const latest = new Map(events.map(event => [event.key, event.kind]));
        const names = [...latest].filter(([name, kind]) => kind === 'object' && name.startsWith(start));
        const rolled = names.map(([name]) => {
          const end = separator === '' ? -1 : name.indexOf(separator, start.length);
          return end < 0 ? name : name.slice(0, end + separator.length);
        });
        const listed = allPages(query, seekCurrent(catalogue, 'bucket'), last =>
          positionAfter(nameOf(last), query),
        );
        expect(listed.map(nameOf)).toEqual([...new Set(rolled)].sort(byBytes));
        catalogue.close();
      },
    ),
  );
});

it('pages of versions are together all versions, newest first within a key', () => {
  fc.assert(
    fc.property(history, prefix, fc.integer({ min: 1, max: 4 }), (events, start, max) => {
      const catalogue = bucketOf(events);
      const query = { prefix: start, delimiter: '', maxEntries: max };
      const expected = events
        .map((event, index) => ({ key: event.key, versionId: String(index) }))
        .filter(version => version.key.startsWith(start))
        .sort((a, b) => byBytes(a.key, b.key) || Number(b.versionId) - Number(a.versionId));
      const listed = allPages(query, seekVersions(catalogue, 'bucket'), last =>
        last.kind === 'item'
          ? { key: Buffer.from(last.item.key), belowRowId: last.item.rowId }
          : positionAfter(last.prefix, query),
      );
      const shown = listed.map(entry => (entry.kind === 'item' ? entry.item : undefined));
      expect(shown).toMatchObject(expected);
      catalogue.close();
    }),
  );
});
