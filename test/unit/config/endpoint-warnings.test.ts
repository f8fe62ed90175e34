import { expect, it } from 'vitest';
import { endpointWarnings } from '../../../src/config/endpoint-warnings.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

function warningsOf(backend: string, listen = '{ port: 8080 }') {
  const config = parseConfig(`{ listen: ${listen}, backends: { main: ${backend} } }`, {});
  return Array.from(endpointWarnings(config), ({ path, consequence }) => `${path.join('.')}: ${consequence}`);
}

const s3 = (others: string) => `{ type: s3, credentials: none, keys: exact, ${others} }`;

it.each([
  ['http://127.0.0.1:8080', '{ port: 8080 }'],
  ['http://localhost:8080', '{ port: 8080 }'],
  ['http://[::1]:8080', '{ host: "::", port: 8080 }'],
  ['http://127.0.0.1:9000', '[{ port: 8080 }, { host: 0.0.0.0, port: 9000 }]'],
  ['http://10.0.0.5:8080', '{ host: 10.0.0.5, port: 8080 }'],
  ['http://127.0.0.1', '{ port: 80 }'],
  ['https://127.0.0.1', '{ port: 443 }'],
  ['http://127.0.0.1:8080', '{ host: localhost, port: 8080 }'],
])('%s is the gateway itself, which listens on %s', (endpoint, listen) => {
  for (const backend of [s3(`endpoint: "${endpoint}"`), `{ type: http, endpoint: "${endpoint}" }`])
    expect(warningsOf(backend, listen)).toEqual([
      expect.stringMatching(/^backends\.main\.endpoint: .*itself$/),
    ]);
});

it.each([
  ['http://127.0.0.1:9000', '{ port: 8080 }'],
  ['http://store:8080', '{ host: 0.0.0.0, port: 8080 }'],
  ['http://127.0.0.1:8080', '{ host: 10.0.0.5, port: 8080 }'],
  ['http://127.0.0.2:8080', '{ host: 127.0.0.1, port: 8080 }'],
  ['http://[::1]:8080', '{ host: 127.0.0.1, port: 8080 }'],
  ['https://127.0.0.1', '{ port: 80 }'],
  ['http://localhost:8080', '{ host: 10.0.0.5, port: 8080 }'],
  ['http://10.0.0.5:8080', '{ host: localhost, port: 8080 }'],
  ['http://127.0.0.1:8080', '{ path: /run/t.sock }'],
])('%s is another one than %s', (endpoint, listen) => {
  expect(warningsOf(s3(`endpoint: "${endpoint}"`), listen)).toEqual([]);
});

it.each([
  ['s3.eu-west-1.amazonaws.com', undefined, 'us-east-1'],
  ['s3.eu-west-1.amazonaws.com', 'eu-west-2', 'eu-west-2'],
  ['s3-eu-west-1.amazonaws.com', 'eu-west-2', 'eu-west-2'],
  ['s3.eu-west-1.amazonaws.com', 'hunter2', 'another region'],
  ['s3.eu-west-1.amazonaws.com', 'x-eu-west-2-y', 'another region'],
  ['s3.dualstack.eu-west-1.amazonaws.com', 'eu-west-2', 'eu-west-2'],
  ['s3.eu-west-1.amazonaws.com.cn', 'cn-north-1', 'cn-north-1'],
])('%s with the region %s is refused there', (host, region, signedFor) => {
  const told = region === undefined ? '' : `, region: ${region}`;
  expect(warningsOf(s3(`endpoint: "https://${host}"${told}`))).toEqual([
    `backends.main.region: requests are signed for ${signedFor}, and the endpoint is in eu-west-1, which refuses them`,
  ]);
});

it.each([
  ['path', 'before each path'],
  ['virtual', 'before the host'],
])(
  'the host of one bucket is no endpoint: with the addressing %s another name is put %s',
  (addressing, where) => {
    const host = 'photos.s3.eu-west-1.amazonaws.com';
    const backend = `endpoint: "https://${host}", region: eu-west-1, addressing: ${addressing}`;
    expect(warningsOf(s3(backend))).toEqual([
      expect.stringMatching(
        new RegExp(`^backends\\.main\\.endpoint: .*the name of a bucket, and a name is put ${where}`),
      ),
    ]);
  },
);

it.each([
  ['endpoint: "https://s3.eu-west-1.amazonaws.com", region: eu-west-1'],
  ['endpoint: "https://s3.us-gov-west-1.amazonaws.com", region: us-gov-west-1'],
  ['endpoint: "https://s3.cn-north-1.amazonaws.com.cn", region: cn-north-1'],
  ['endpoint: "https://s3.amazonaws.com"'],
  ['endpoint: "https://s3.eu-west-1.example.test"'],
])('%s is as it should be', backend => {
  expect(warningsOf(s3(backend))).toEqual([]);
});

it('a web origin may be the website of a bucket in any region', () => {
  const backend = '{ type: http, endpoint: "https://photos.s3.eu-west-2.amazonaws.com" }';
  expect(warningsOf(backend)).toEqual([]);
});
