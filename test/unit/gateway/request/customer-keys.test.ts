import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { takesCustomerKeys } from '../../../../src/gateway/request/customer-keys.ts';
import { rememberPeer } from '../../../../src/transport/peer.ts';
import { bucketOf } from '../../../support/object-reads.ts';

type PlainHttp = Bucket['customerKeys']['plainHttp'];

const bucketWith = (plainHttp: PlainHttp): Bucket => ({ ...bucketOf(), customerKeys: { plainHttp } });

/** A request on a connection from `remoteAddress`. */
function from(remoteAddress: string | undefined, more: { encrypted?: boolean } = {}): IncomingMessage {
  const socket = Object.assign(new Socket(), more);
  return new IncomingMessage(Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress }));
}

describe('docs/semantics.md 155: customer-provided keys over plain HTTP', () => {
  it.each<[PlainHttp, string | undefined, boolean]>([
    ['never', '127.0.0.1', false],
    ['never', '::1', false],
    ['loopback', '127.0.0.1', true],
    ['loopback', '127.255.0.9', true],
    ['loopback', '::1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['loopback', '10.127.0.1', false],
    ['loopback', '::ffff:10.127.0.1', false],
    ['loopback', '1270.0.0.1', false],
    ['loopback', 'fe80::127.0.0.1', false],
    ['loopback', '::11', false],
    ['loopback', undefined, false],
    ['always', '203.0.113.9', true],
  ])('where the bucket takes them %s, from %s: %s', (plainHttp, address, isTaken) => {
    expect(takesCustomerKeys(bucketWith(plainHttp), from(address))).toBe(isTaken);
    expect(takesCustomerKeys(bucketWith(plainHttp), from(address, { encrypted: false }))).toBe(isTaken);
  });

  it('are taken through a proxy that is trusted where it says that the client used TLS', () => {
    const through = (isTrusted: boolean, scheme: string) => {
      const request = from('127.0.0.1');
      rememberPeer(request.socket, { address: '127.0.0.1', isTrusted: () => isTrusted });
      request.rawHeaders = ['X-Forwarded-For', '203.0.113.9', 'X-Forwarded-Proto', scheme];
      return takesCustomerKeys(bucketWith('never'), request);
    };
    expect(through(true, 'https')).toBe(true);
    expect(through(true, 'http')).toBe(false);
    expect(through(false, 'https')).toBe(false);
  });

  it('are not taken from a client that a proxy on this machine names', () => {
    const request = from('127.0.0.1');
    rememberPeer(request.socket, { address: '127.0.0.1', isTrusted: () => true });
    request.rawHeaders = ['X-Forwarded-For', '127.0.0.1'];
    expect(takesCustomerKeys(bucketWith('loopback'), request)).toBe(false);
    expect(takesCustomerKeys(bucketWith('always'), request)).toBe(true);
  });

  it('are taken over TLS, from anywhere', () => {
    for (const plainHttp of ['never', 'loopback', 'always'] as const)
      expect(takesCustomerKeys(bucketWith(plainHttp), from('203.0.113.9', { encrypted: true }))).toBe(true);
  });
});
