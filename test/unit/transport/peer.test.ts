import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { clientAddressOf, originOf, type Peer, rememberPeer } from '../../../src/transport/peer.ts';

const isTrusted = (address: string | undefined) => address === undefined || /^(?:127|10)\./.test(address);

function requestFrom(peer: Peer, fields: readonly string[] = [], isEncrypted = false): IncomingMessage {
  const socket = isEncrypted ? Object.assign(new Socket(), { encrypted: true }) : new Socket();
  rememberPeer(socket, peer);
  const request = new IncomingMessage(socket);
  request.rawHeaders = fields.flatMap(field => field.split(': '));
  return request;
}

const proxy = { address: '127.0.0.1', isTrusted };
const direct = { address: '127.0.0.1' };

it.each<[string, Peer, string[], { isSecure: boolean; isLoopback: boolean; address: string | undefined }]>([
  [
    'nobody trusted',
    direct,
    ['X-Forwarded-For: 1.1.1.1', 'X-Forwarded-Proto: https'],
    { isSecure: false, isLoopback: true, address: '127.0.0.1' },
  ],
  ['nothing told', proxy, [], { isSecure: false, isLoopback: true, address: '127.0.0.1' }],
  [
    'another client',
    proxy,
    ['X-Forwarded-For: 203.0.113.9'],
    { isSecure: false, isLoopback: false, address: '203.0.113.9' },
  ],
  [
    'a secure client',
    proxy,
    ['x-forwarded-for: 203.0.113.9', 'X-FORWARDED-PROTO: https'],
    { isSecure: true, isLoopback: false, address: '203.0.113.9' },
  ],
  [
    'a client said to be of this machine',
    proxy,
    ['X-Forwarded-For: 127.0.0.1'],
    { isSecure: false, isLoopback: false, address: '127.0.0.1' },
  ],
  [
    'a hidden client',
    proxy,
    ['Forwarded: for=_hidden'],
    { isSecure: false, isLoopback: false, address: '127.0.0.1' },
  ],
  [
    'a connection said to be of this machine',
    { address: '127.0.0.1', isNamedByProxy: true },
    [],
    { isSecure: false, isLoopback: false, address: '127.0.0.1' },
  ],
  [
    'a client that is not trusted',
    { address: '203.0.113.9', isTrusted },
    ['X-Forwarded-For: 1.1.1.1', 'X-Forwarded-Proto: https'],
    { isSecure: false, isLoopback: false, address: '203.0.113.9' },
  ],
  [
    'a proxy on a unix socket',
    { address: undefined, isTrusted },
    ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https'],
    { isSecure: true, isLoopback: false, address: '203.0.113.9' },
  ],
])('%s', (_, peer, fields, origin) => {
  const request = requestFrom(peer, fields);
  expect(originOf(request)).toEqual(origin);
  expect(clientAddressOf(request)).toBe(origin.address);
});

it('TLS to a trusted proxy is not TLS to its client where the proxy says otherwise', () => {
  expect(originOf(requestFrom(proxy, [], true)).isSecure).toBe(true);
  expect(originOf(requestFrom(proxy, ['X-Forwarded-Proto: http'], true)).isSecure).toBe(false);
  expect(originOf(requestFrom(direct, ['X-Forwarded-Proto: http'], true)).isSecure).toBe(true);
});
