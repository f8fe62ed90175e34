import type { ObjectKey } from '../../cache/object-key.ts';
import { tellsHost, type WebBucket, webKeyOf } from './web-target.ts';

/**
 * The pages without a query that a web origin makes of an object of the store behind it: those at its key, as clients may spell
 * that, and those of its folder, whose document or listing it may be. Undefined where the host that clients ask names a page too,
 * which no store knows.
 */
export function pagesOfObject(bucket: WebBucket, key: string): readonly ObjectKey[] | undefined {
  const { web, website } = bucket;
  if (tellsHost(web)) return undefined;
  const named = spellingsOf(key).flatMap(path => [path, ...belowPrefix(path, web.pathPrefix)]);
  // the documents of folders are named by their own keys where the bucket is a website
  const paths = website ? named : named.flatMap(path => [path, ...foldersOf(path)]);
  return [...new Set(paths)].map(path => webKeyOf(bucket, path));
}

/**
 * What is left as it is in a path: by programs that escape what ends it only, by browsers, formerly and now, by Python's requests, by
 * `encodeURI`, Go's net/url and `encodeURIComponent`, and by clients of stores.
 */
const unescaped = [
  '!"$&\'()*+,:;<=>@[\\]^`{|}',
  ...["!$&'()*+,:;=@[]^|", "!$&'()*+,:;=@[]|", "!$&'()*+,:;=@[]"],
  ...["!$&'()*+,:;=@", '$&+,:;=@', "!'()*", ''],
];

function spellingsOf(key: string): string[] {
  const segments = key.toWellFormed().split('/');
  const spelled = unescaped.map(signs => `/${segments.map(segment => escaped(segment, signs)).join('/')}`);
  return [...new Set(spelled.flatMap(path => [path, inLowerCase(path)]))];
}

function escaped(segment: string, unescaped: string): string {
  return segment.replace(/[^\w.~-]/gu, sign => {
    if (unescaped.includes(sign)) return sign;
    return [...Buffer.from(sign)]
      .map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join('');
  });
}

/** The same with the digits of what is escaped in lower case. */
function inLowerCase(path: string): string {
  return path.replace(/%[\dA-F]{2}/g, octet => octet.toLowerCase());
}

/** The prefix of a bucket is part of the keys, unless it is the path of the store's bucket. */
function belowPrefix(path: string, prefix: string): string[] {
  return prefix !== '' && path.startsWith(`${prefix}/`) ? [path.slice(prefix.length)] : [];
}

/** The folder of a path, and the address from which it is redirected to. */
function foldersOf(path: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return folder === '/' ? [folder] : [folder, folder.slice(0, -1)];
}
