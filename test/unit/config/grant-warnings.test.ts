import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFile } from '../../../src/config/load-config.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-warnings-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function warnings(yaml: string, environment: Record<string, string> = {}): readonly string[] {
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(file, yaml);
  return checkFile(file, environment).warnings;
}

interface Parts {
  readonly keys?: 'exact' | 'path';
  readonly bucket?: string;
  readonly allow?: string;
}

const written = ({ keys = 'exact', bucket = 'access: public', allow }: Parts) => `
backends: { main: { type: s3, endpoint: "http://x", credentials: none, keys: ${keys} } }
buckets: { photos: { backend: main, ${bucket} } }
clients: ${allow === undefined ? '[]' : `[{ accessKeyId: a, secretAccessKey: any-secret, allow: ${allow} }]`}
`;

const anonymous = (actions: string, keys: string) =>
  `access: public, anonymous: [{ actions: ${actions}, keys: ${keys} }]`;

describe('the check warns of what can never match', () => {
  it.each<[Parts, string]>([
    [
      { bucket: anonymous('[GetObject]', '["!private/**"]') },
      'buckets.photos.anonymous[0].keys[0] holds "!private/**": it excludes nothing',
    ],
    [
      { bucket: anonymous('[GetObject]', '["!private/**", "**"]') },
      'buckets.photos.anonymous[0].keys[0] holds "!private/**": it has no effect',
    ],
    [
      { bucket: anonymous('[GetObject]', '["public/**", "!**"]') },
      'buckets.photos.anonymous[0].keys[0] holds "public/**": it has no effect',
    ],
    [
      { keys: 'path', bucket: anonymous('[GetObject]', '["/public/**"]') },
      'buckets.photos.anonymous[0].keys[0] holds "/public/**": no key of buckets.photos matches it',
    ],
    [
      { keys: 'path', bucket: anonymous('[GetObject]', '["**", "!a//**"]') },
      'buckets.photos.anonymous[0].keys[1] holds "!a//**": no key of buckets.photos matches it',
    ],
    [
      { bucket: anonymous('[GetObject]', '["**", "!/private/**"]') },
      'buckets.photos.anonymous[0].keys[1] holds "!/private/**": it matches only keys that begin with a slash',
    ],
    [
      { bucket: 'access: public, rules: [{ keys: ["/static/**"], cache: { ttl: 1d } }]' },
      'buckets.photos.rules[0].keys[0] holds "/static/**": it matches only keys that begin with a slash',
    ],
    [
      {
        bucket:
          'access: public, rules: [{ keys: ["**"], cache: { ttl: 1d } }, { keys: ["a/**"], cache: { ttl: 1s } }]',
      },
      'buckets.photos.rules[1].cache holds a map of ttl: it has no effect: the first rule that covers a key and has cache decides',
    ],
    [
      { bucket: anonymous('[GetObject, HeadObject]', '["**"]') },
      'buckets.photos.anonymous[0].actions[1] holds "HeadObject": it grants nothing; it is permitted by GetObject',
    ],
    [
      { bucket: anonymous('[RenameObject]', '["**"]') },
      'buckets.photos.anonymous[0].actions[0] holds "RenameObject": it grants nothing, since this version does not pass',
    ],
    [
      { bucket: anonymous('[GetBucketLocation]', '["a/**"]') },
      'buckets.photos.anonymous[0].actions[0] holds "GetBucketLocation": it grants nothing, since it applies to the bucket as a whole',
    ],
    [
      { bucket: anonymous('[PutBucketPolicy]', '["**", "!private/**"]') },
      'buckets.photos.anonymous[0].actions[0] holds "PutBucketPolicy": it grants nothing, since it applies to the bucket as a whole',
    ],
    [
      { bucket: anonymous('[]', '["**"]') },
      'buckets.photos.anonymous[0].actions holds a list of 0: it grants nothing',
    ],
    [{ allow: '[]' }, 'clients[0].allow holds a list of 0: this client may do no more than everybody'],
    [
      { allow: '[{ buckets: [], actions: [GetObject] }]' },
      'clients[0].allow[0].buckets holds a list of 0: it grants nothing',
    ],
    [
      { keys: 'path', allow: '[{ buckets: ["*"], actions: ["*"], keys: ["./a/**"] }]' },
      'clients[0].allow[0].keys[0] holds "./a/**": no key of buckets.photos matches it',
    ],
    [
      { bucket: 'access: verify' },
      'buckets.photos.access holds "verify": nobody may do anything there, since there are no clients',
    ],
    [
      { bucket: 'access: public, anonymous: []' },
      'buckets.photos.anonymous holds a list of 0: nobody may do anything there, since there are no clients',
    ],
  ])('%j', (parts, expected) => {
    expect(warnings(written(parts))).toEqual([expect.stringContaining(expected)]);
  });

  it.each<Parts>([
    {},
    { bucket: anonymous('["*"]', '["**", "!private/**"]') },
    { bucket: anonymous('[GetBucketLocation, PutObject, DeleteObject]', '["**", "!private/**"]') },
    { bucket: anonymous('[PutBucketPolicy, DeleteBucket]', '["**"]') },
    { keys: 'path', bucket: anonymous('[GetObject, ListBucket]', '["public/**", "*.txt", "a/*/b"]') },
    { bucket: 'access: public, anonymous: []', allow: '[{ buckets: [photos], actions: [GetObject] }]' },
    {
      bucket:
        'access: public, rules: [{ keys: ["a/**"], cache: { ttl: 1d } }, { keys: ["**"], cache: { ttl: 1s } }]',
    },
    {
      bucket:
        'access: public, rules: [{ keys: ["**"], cache: { ttl: 1d } }, { keys: ["a/**"], compress: true }]',
    },
    { bucket: 'access: verify', allow: '[{ buckets: ["*"], actions: [GetObject] }]' },
    { bucket: 'access: verify', allow: '[{ buckets: [photos], actions: [GetObject] }]' },
  ])('and says nothing of %j', parts => {
    expect(warnings(written(parts))).toEqual([]);
  });
});

it.each([
  ['access: verify', 'access'],
  ['access: public, anonymous: []', 'anonymous'],
])('warns of a bucket that only clients may use and that no grant names: %s', (access, key) => {
  const allow = '[{ buckets: [others], actions: [GetObject] }]';
  const buckets = `${access} }, others: { backend: main, access: verify`;
  const [warning, ...more] = warnings(written({ bucket: buckets, allow }));
  expect(warning).toMatch(
    new RegExp(`^buckets\\.photos\\.${key} .* since no grant of a client names the bucket$`),
  );
  expect(more).toEqual([]);
});

it('warns of a store that is asked without a signature, unless that is written', () => {
  const bucket = 'buckets: { photos: { backend: main, access: public } }';
  const store = (more: string) => `backends: { main: { type: s3, endpoint: "http://x"${more} } }\n${bucket}`;
  expect(warnings(store(''))).toEqual([
    expect.stringMatching(/^backends\.main\.credentials holds nothing: requests to the store are not signed/),
  ]);
  expect(warnings(store(', credentials: none'))).toEqual([]);
  expect(warnings(store(', credentials: { accessKeyId: a, secretAccessKey: any-secret }'))).toEqual([]);
  expect(warnings(`backends: { main: { type: embedded, directory: ./data } }\n${bucket}`)).toEqual([]);
});

it('warns of a queue that is asked without a signature, unless that is written', () => {
  const bucket = 'buckets: { photos: { backend: main, access: public } }';
  const queue = (more: string) =>
    `backends: { main: { type: embedded, directory: d } }\n${bucket}\nevents: { queue: { url: "http://q/q"${more} } }`;
  expect(warnings(queue(''))).toEqual([
    expect.stringMatching(/^events\.queue\.credentials holds nothing: questions to the queue are not signed/),
  ]);
  expect(warnings(queue(', credentials: none'))).toEqual([]);
});

it('warns of variables without braces, and shows none of them that may be a secret', () => {
  const bucket = 'buckets: { photos: { backend: main, access: public, keyPrefix: $PREFIX } }';
  const store = (key: string) =>
    `backends: { main: { type: s3, endpoint: "http://x", keys: exact, credentials: { accessKeyId: ${key}, secretAccessKey: any-secret } } }\n${bucket}`;
  expect(warnings(store('$KEY'))).toEqual([
    expect.stringMatching(
      /^backends\.main\.credentials\.accessKeyId holds a value that is not shown, .*: it is taken as it stands/,
    ),
    expect.stringMatching(/^buckets\.photos\.keyPrefix holds "\$PREFIX": it is taken as it stands/),
  ]);
  expect(warnings(store('"a$KEY"'))).toHaveLength(1);
});

it('what comes from the environment is in no warning', () => {
  const bucket = anonymous('[GetObject]', `["!\${PRIVATE}/**"]`);
  const found = warnings(written({ bucket }), { PRIVATE: 'hunter2' });
  expect(found).toEqual([expect.stringContaining('keys[0] holds a text with $')]);
  expect(found.join()).not.toContain('hunter2');
});
