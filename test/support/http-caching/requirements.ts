/** Sections of RFC 9111 that say what a shared cache does; each has a row. */
export const paragraphs: readonly string[] = [
  ...['1.2.2', '3', '3.1', '3.2', '3.3', '3.4', '3.5', '4', '4.1', '4.2', '4.2.1', '4.2.2', '4.2.3', '4.2.4'],
  ...['4.3.1', '4.3.2', '4.3.3', '4.3.4', '4.3.5', '4.4', '5.1', '5.2'],
  ...['5.2.1', '5.2.1.1', '5.2.1.2', '5.2.1.3', '5.2.1.4', '5.2.1.5', '5.2.1.6', '5.2.1.7'],
  ...[
    '5.2.2.1',
    '5.2.2.2',
    '5.2.2.3',
    '5.2.2.4',
    '5.2.2.5',
    '5.2.2.6',
    '5.2.2.7',
    '5.2.2.8',
    '5.2.2.9',
    '5.2.2.10',
  ],
  ...['5.2.3', '5.3', '5.4', '5.5', '7.3'],
];

/** A requirement of RFC 9111 that no row is about. */
interface Elsewhere {
  readonly paragraph: string;
  readonly must: string;
  readonly why: string;
}

/** What RFC 9111 demands that is not a matter of the gateway, or not of one request after another. */
export const notOfRows: readonly Elsewhere[] = [
  {
    paragraph: '2',
    must: 'implementations follow the grammar of HTTP',
    why: 'a demand on all messages, not on caching',
  },
  {
    paragraph: '3.1',
    must: 'fields of a proxy that the cache speaks to are not stored unless the key names that proxy',
    why: 'the gateway speaks to stores and origins themselves; such fields are left out all the same, which rows show',
  },
  {
    paragraph: '4',
    must: 'a cache without a clock confirms each use',
    why: 'the gateway has a clock; where that was set back, nothing stored before is fresh (docs/caching.md)',
  },
  {
    paragraph: '4.2',
    must: 'a time with less resolution than a date rounds Expires down',
    why: 'times have milliseconds here',
  },
  {
    paragraph: '4.2.4',
    must: 'a cache that is cut off from the origin may use what is stale',
    why: 'a permission; the gateway uses it where staleIfError allows it, which rows show',
  },
  {
    paragraph: '5.2.1.5',
    must: 'no-store of a request keeps it out of non-volatile storage',
    why: 'the cache is in memory alone',
  },
  {
    paragraph: '5.2.2.6',
    must: 'no-transform forbids to transform the content',
    why: 'contents are compressed in the background, which integration/gateway/compression waits for',
  },
  {
    paragraph: '5.2',
    must: 'a proxy passes directives of requests on',
    why: 'to web origins, which a row shows; of a store the gateway is a client of its own, and asks in its own name',
  },
  {
    paragraph: '5.3',
    must: 'an origin without a clock sends no Expires',
    why: 'a demand on origins',
  },
  {
    paragraph: '5.5',
    must: 'Warning is obsolete',
    why: 'there is nothing to do; rows show that none is made',
  },
];
