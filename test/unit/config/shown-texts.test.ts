import { expect, it } from 'vitest';
import { shownReference } from '../../../src/config/environment.ts';
import { describeHeld, describeText } from '../../../src/config/problems.ts';

const hidden = expect.stringMatching(/^a value that is not shown, a text of \d+ characters$/);

it.each([
  // words of secrets, however they are written
  ['access_key: x', hidden],
  ['access-key=x', hidden],
  // what follows "@" is no host of a URL whose password has a "/"
  ['https://pa.ss/word:x@host.example', hidden],
  [`https://host.example/${'x'.repeat(2_000)}`, hidden],
  ['http://localhost:9000/?x=y', 'a URL at http://localhost:9000, whose rest is not shown'],
  ['http://[::1]:9000/?x=y', 'a URL at http://[::1]:9000, whose rest is not shown'],
  ['https://0a1b2c3d4e5f60718293.example.test', '"https://0a1b2c3d4e5f60718293.example.test"'],
  // a "/" may belong to a key, unless the text is a path
  ['wJalrXUtn1/K7MDENG/bPxRfiCYEX', hidden],
  ['/1bGz9f+0+H/ubJ6qk0R6L7e5/z7x/jt7yZbV', hidden],
  ['/USmArgYFZ/ofszElOev/RSfdTlXOsIGwlBFabcd', hidden],
  ['/hooks/862c73e8-4f89-11d3-9a0c-0305e82c3301', hidden],
  ['PGPASS=x', hidden],
  ['pw=x', hidden],
  ['private_key: x', hidden],
  // names of buckets and hosts, and lists of parameters
  ['prod-eu-west-1-photos-v2', '"prod-eu-west-1-photos-v2"'],
  ['cdn-assets-123456789012-eu-west-1', '"cdn-assets-123456789012-eu-west-1"'],
  ['ec2-203-0-113-25.compute-1.amazonaws.com', '"ec2-203-0-113-25.compute-1.amazonaws.com"'],
  ['text/html; charset=utf-8', '"text/html; charset=utf-8"'],
  ['design: x', '"design: x"'],
  ['authors: x', '"authors: x"'],
  ['bypass: x', '"bypass: x"'],
  ['/srv/gateway-2026-eu1/server_2026_eu1.pem', '"/srv/gateway-2026-eu1/server_2026_eu1.pem"'],
  ['./gateway-2026-eu1/server_2026_eu1.pem', '"./gateway-2026-eu1/server_2026_eu1.pem"'],
  ['../gateway-2026-eu1/server_2026_eu1.pem', '"../gateway-2026-eu1/server_2026_eu1.pem"'],
  ['file:/backups-2026/archive', '"file:/backups-2026/archive"'],
  // passwords are long, without blanks, and of all kinds of characters
  ['pAss1!word99', hidden],
  ['Box1&Box2', '"Box1&Box2"'],
  ['All of 2 Boxes & more', '"All of 2 Boxes & more"'],
  ['Fish&Chips-Company', '"Fish&Chips-Company"'],
  ['fish&chips-2026', '"fish&chips-2026"'],
  ['FISH&CHIPS-2026', '"FISH&CHIPS-2026"'],
  ['FishAndChips-26', '"FishAndChips-26"'],
])('%s is shown as %s', (text, shown) => {
  expect(describeText(text)).toEqual(shown);
});

it('headers have secrets, whatever they are called', () => {
  const path = ['tracing', 'headers', 'x-scope'];
  expect(describeHeld(path, { tracing: { headers: { 'x-scope': 'words' } } })).toEqual(hidden);
});

it.each(['CONFIGURATIONDIRECTORY', 'configuration_directory', 'CONFIGURATION_OF_2026', 'shortName1'])(
  'a reference to %s is shown',
  name => {
    expect(shownReference(name)).toBe(`\${${name}}`);
  },
);
