import type { Question } from '../support/conformance/question.ts';
import { largeBytes, type Versions } from './answered-objects.ts';

/** A read by a name that tells it from the others. */
export interface NamedQuestion extends Question {
  readonly name: string;
  readonly bucket: 'answers' | 'history';
}

const keys = [
  ...['plain.txt', 'empty', 'large.bin', 'tagged.txt', 'packed.txt.gz', 'parts.bin', 'composite.bin'],
  ...[
    'sums/sha256',
    'sums/crc64',
    'sums/crc32c',
    "odd names/ünï 日本 +%25'&=;,@$!(1)~",
    'folder/',
    'missing',
  ],
];

const ranges: readonly (readonly [key: string, range: string])[] = [
  ...[
    '0-0',
    '0-8',
    '1-',
    '-2',
    '-15',
    '0-100',
    '0-',
    '-0',
    '10-',
    '100-200',
    '5-3',
    '0-1,3-4',
    'a-z',
    '-',
  ].map(range => ['plain.txt', `bytes=${range}`] as const),
  ['plain.txt', 'items=0-1'],
  ['plain.txt', 'bytes=00-01'],
  ['empty', 'bytes=0-0'],
  ['empty', 'bytes=0-'],
  ['empty', 'bytes=-5'],
  ['missing', 'bytes=0-1'],
  ['large.bin', 'bytes=1048570-1048585'],
  ['large.bin', 'bytes=2097152-'],
  ['large.bin', 'bytes=-18'],
  ['large.bin', `bytes=${largeBytes}-`],
  ['parts.bin', 'bytes=5242870-5242890'],
];

const parts: readonly (readonly [key: string, part: string])[] = [
  ...['1', '2', '3', '4', '0', '10001', 'x', ''].map(part => ['parts.bin', part] as const),
  ...['1', '3', '4'].map(part => ['composite.bin', part] as const),
  ['plain.txt', '1'],
  ['plain.txt', '2'],
  ['empty', '1'],
  ['empty', '2'],
  ['missing', '1'],
];

const overrides =
  'response-content-type=text%2Fcsv&response-content-disposition=inline&response-cache-control=no-cache&response-content-language=fr&response-content-encoding=br&response-expires=Thu%2C%2001%20Jan%202032%2000%3A00%3A00%20GMT';

const path = (key: string, query = '') =>
  `/answers/${key.split('/').map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;

const sums = { 'checksum-mode': 'ENABLED' };

function* ofAnswers(
  conditions: readonly Readonly<Record<string, string>>[],
): Generator<Omit<NamedQuestion, 'bucket'>> {
  for (const key of keys) {
    yield { name: key, path: path(key) };
    yield { name: `${key}, checksums`, path: path(key), fields: sums };
  }
  for (const [key, range] of ranges) yield { name: `${key} ${range}`, path: path(key), headers: { range } };
  for (const range of ['bytes=0-9', 'bytes=0-', 'bytes=1-3'])
    yield {
      name: `plain.txt ${range}, checksums`,
      path: path('plain.txt'),
      headers: { range },
      fields: sums,
    };
  for (const [key, part] of parts) {
    yield { name: `${key} part ${part}`, path: path(key, `partNumber=${part}`) };
    if (/^[1-4]$/.test(part))
      yield { name: `${key} part ${part}, checksums`, path: path(key, `partNumber=${part}`), fields: sums };
  }
  yield { name: 'part and range', path: path('parts.bin', 'partNumber=1'), headers: { range: 'bytes=0-1' } };
  for (const headers of conditions) {
    const name = Object.entries(headers).map(each => each.join(': '));
    yield { name: `plain.txt ${name}`, path: path('plain.txt'), headers };
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
  for (const name of ['if-modified-since', 'if-unmodified-since'])
    yield { name: `plain.txt ${name} tomorrow`, path: path('plain.txt'), headers: { [name]: tomorrow } };
  yield { name: 'missing, with If-Match', path: path('missing'), headers: { 'if-match': '*' } };
  yield { name: 'missing, with If-None-Match', path: path('missing'), headers: { 'if-none-match': '*' } };
  yield { name: 'overrides', path: path('plain.txt', overrides) };
  yield { name: 'overrides and range', path: path('plain.txt', overrides), headers: { range: 'bytes=0-1' } };
  yield { name: 'an empty override', path: path('plain.txt', 'response-content-type=') };
  yield { name: 'overrides of what is missing', path: path('missing', overrides) };
  yield { name: 'an origin', path: path('plain.txt'), headers: { origin: 'https://page.test' } };
  yield {
    name: 'an origin, of what is missing',
    path: path('missing'),
    headers: { origin: 'https://page.test' },
  };
  yield { name: 'an unknown parameter', path: path('plain.txt', 'colour=blue&x-id=GetObject') };
  yield { name: 'the version null', path: path('plain.txt', 'versionId=null') };
}

function* ofHistory({ written, marker, hidden }: Versions): Generator<Omit<NamedQuestion, 'bucket'>> {
  const unknown = '0f7cda1c-5a0f-4c1e-9d2b-0123456789ab';
  for (const key of ['v.txt', 'gone.txt']) yield { name: key, path: `/history/${key}` };
  for (const [index, id] of written.entries())
    yield { name: `v.txt, version ${index}`, path: `/history/v.txt?versionId=${id}` };
  yield {
    name: 'part of a version',
    path: `/history/v.txt?versionId=${written[1]}`,
    headers: { range: 'bytes=1-3' },
  };
  yield { name: 'gone.txt, marker', path: `/history/gone.txt?versionId=${marker}` };
  yield { name: 'gone.txt, hidden', path: `/history/gone.txt?versionId=${hidden}` };
  yield { name: 'gone.txt, range', path: '/history/gone.txt', headers: { range: 'bytes=0-1' } };
  yield { name: 'gone.txt, If-Match', path: '/history/gone.txt', headers: { 'if-match': '*' } };
  yield { name: 'gone.txt, no version null', path: '/history/gone.txt?versionId=null' };
  yield { name: 'v.txt, an unknown version', path: `/history/v.txt?versionId=${unknown}` };
  yield { name: 'v.txt, no id of a version', path: '/history/v.txt?versionId=nonsense' };
  yield { name: 'v.txt, an empty version', path: '/history/v.txt?versionId=' };
}

/** Every read that is compared, by GET and by HEAD. @param validators of `plain.txt`. */
export function readQuestions(
  versions: Versions,
  validators: { readonly etag: string; readonly modified: string },
): readonly NamedQuestion[] {
  const reads: NamedQuestion[] = [
    ...[...ofAnswers(conditionsOn(validators))].map(each => ({ ...each, bucket: 'answers' as const })),
    ...[...ofHistory(versions)].map(each => ({ ...each, bucket: 'history' as const })),
  ];
  return reads.flatMap(each =>
    ['GET', 'HEAD'].map(method => ({ ...each, method, name: `${method} ${each.name}` })),
  );
}

function conditionsOn({ etag, modified }: { readonly etag: string; readonly modified: string }) {
  const bare = etag.replaceAll('"', '');
  const other = '"0000"';
  const past = 'Sat, 01 Jan 2000 00:00:00 GMT';
  return [
    ...[etag, bare, '*', other, `${other}, ${etag}`].flatMap(tag => [
      { 'if-match': tag },
      { 'if-none-match': tag },
    ]),
    ...[modified, past, 'yesterday'].flatMap(date => [
      { 'if-modified-since': date },
      { 'if-unmodified-since': date },
    ]),
    { 'if-match': etag, 'if-unmodified-since': past },
    { 'if-match': other, 'if-none-match': etag },
    { 'if-none-match': etag, 'if-modified-since': past },
    { 'if-none-match': other, 'if-modified-since': modified },
    { 'if-unmodified-since': past, 'if-none-match': etag },
    { range: 'bytes=0-1', 'if-match': other },
    { range: 'bytes=0-1', 'if-none-match': etag },
    { range: 'bytes=0-1', 'if-range': etag },
    { range: 'bytes=0-1', 'if-range': other },
    { range: 'bytes=100-', 'if-match': other },
  ];
}
