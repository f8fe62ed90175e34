import { describe, expect, it } from 'vitest';
import type { ProvidedCredentials } from '../../../src/backend/credentials/credential-source.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { BACKEND_PLACES, BackendPlaces } from '../../../src/wiring/backend-places.ts';
import { providedSource } from '../../../src/wiring/provided-source.ts';

const backends = (entries: Readonly<Record<string, string>>) =>
  parseConfig(
    `backends:\n${Object.entries(entries)
      .map(([name, settings]) => `  ${name}: { type: s3, ${settings} }`)
      .join('\n')}`,
    {},
  ).backends;

function taken(places: BackendPlaces, entries: Readonly<Record<string, string>>) {
  const placed = places.prepare(backends(entries), none);
  placed.take();
  return placed.places;
}

const none = new Map();
const one = 'endpoint: "http://localhost:1"';
const two = 'endpoint: "http://localhost:2"';

it('gives a backend the identity of its name, and another with each other address', () => {
  const places = new BackendPlaces();
  const identity = (settings: string) => taken(places, { main: settings }).get('main')?.identity;
  expect([one, one, two, one].map(identity)).toEqual(['main', 'main', 'main 1', 'main 2']);
});

it.each([
  ['region: eu-west-1', 'main 1'],
  ['addressing: virtual', 'main 1'],
  ['headerPrefix: x-store-', 'main 1'],
  ['keys: exact', 'main 1'],
  ['credentials: { accessKeyId: a, secretAccessKey: s }', 'main 1'],
  ['credentials: { from: instance }', 'main 1'],
  ['connections: 5', 'main'],
  ['timeouts: { idle: 5s }', 'main'],
])('%s changes what is known of its objects, or not: %s', (setting, identity) => {
  const places = new BackendPlaces();
  taken(places, { main: one });
  expect(taken(places, { main: `${one}, ${setting}` }).get('main')?.identity).toBe(identity);
});

it.each([
  [
    'another profile',
    'credentials: { from: profile, profile: a }',
    'credentials: { from: profile, profile: b }',
  ],
  [
    'another role',
    'credentials: { from: web-identity, tokenFile: /t, roleArn: a }',
    'credentials: { from: web-identity, tokenFile: /t, roleArn: b }',
  ],
  [
    'another command',
    'credentials: { from: process, command: a }',
    'credentials: { from: process, command: b }',
  ],
  ['another authority', 'tls: { ca: /a.pem }', 'tls: { ca: /b.pem }'],
])('%s is another identity: who reads with it is not served what the one before could read', (_, a, b) => {
  const places = new BackendPlaces();
  const secure = 'endpoint: "https://127.0.0.1:1"';
  const identity = (setting: string) =>
    taken(places, { main: `${secure}, ${setting}` }).get('main')?.identity;
  expect([a, a, b].map(identity)).toEqual(['main', 'main', 'main 1']);
});

it('has the same identity with another secret of the same key', () => {
  const places = new BackendPlaces();
  const identity = (secret: string) => {
    const credentials = `credentials: { accessKeyId: a, secretAccessKey: ${secret} }`;
    return taken(places, { main: `${one}, ${credentials}` }).get('main')?.identity;
  };
  expect(['before', 'after'].map(identity)).toEqual(['main', 'main']);
});

it('a configuration that was not taken over changes no identity', () => {
  const places = new BackendPlaces();
  taken(places, { main: one });
  places.prepare(backends({ main: two, other: one }), none);
  expect(taken(places, { main: one, third: one })).toMatchObject(
    new Map([
      ['main', { identity: 'main', index: 0 }],
      ['third', { identity: 'third', index: 1 }],
    ]),
  );
});

it('keeps the place of a name, also while it is not configured', () => {
  const places = new BackendPlaces();
  const index = (of: Readonly<Record<string, string>>, name: string) => taken(places, of).get(name)?.index;
  expect(index({ a: one, b: one }, 'b')).toBe(1);
  expect(index({ b: one }, 'b')).toBe(1);
  expect(index({ c: one, b: two }, 'c')).toBe(2);
  expect(index({ a: one }, 'a')).toBe(0);
});

it('has later names share the last place', () => {
  const names = Array.from({ length: BACKEND_PLACES + 3 }, (_, number) => `n${number}`);
  const places = taken(new BackendPlaces(), Object.fromEntries(names.map(name => [name, one])));
  expect(places.get(`n${BACKEND_PLACES + 2}`)?.index).toBe(BACKEND_PLACES - 1);
});

describe('credentials of a source', () => {
  const source = `${one}, credentials: { from: profile, profile: p }`;
  const configured = backends({ main: source });
  const sourceId = Object.entries(configured).map(([name, backend]) => providedSource(name, backend)?.id)[0];
  const given = (told: Partial<ProvidedCredentials>) =>
    new Map([[sourceId ?? '', { accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't', ...told }]]);

  it('of another account give a backend another identity, those of the same leave it as it is', () => {
    const places = new BackendPlaces();
    const place = (obtained: ReadonlyMap<string, ProvidedCredentials>) => {
      const placed = places.prepare(configured, obtained);
      placed.take();
      return placed.places.get('main');
    };
    const first = place(none);
    expect(first?.identity).toBe('main');
    expect(place(given({ accountId: '1' }))).toBe(first);
    expect(place(given({ accountId: '1', accessKeyId: 'b' }))).toBe(first);
    expect(place(none)).toBe(first);
    expect(place(given({}))).toBe(first);
    const other = place(given({ accountId: '2' }));
    expect(other).toEqual({ identity: 'main 1', index: 0, changes: 1 });
    expect(place(given({ accountId: '2', role: 'r' }))).toBe(other);
    expect(place(given({ accountId: '1' }))?.identity).toBe('main 2');
  });

  it('that another source gave say nothing of those of now', () => {
    const places = new BackendPlaces();
    places.prepare(configured, given({ accountId: '1' })).take();
    const moved = backends({ main: `${one}, credentials: { from: profile, profile: q }` });
    expect(places.prepare(moved, given({ accountId: '2' })).places.get('main')?.identity).toBe('main 1');
  });
});
