import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RequestFields } from '../../../src/s3/request-fields.ts';
import { checkExpectation, checkFraming, checkHost } from '../../../src/s3/well-formed.ts';

/** The code of the error that `check` throws for a request with these headers, and whether the connection stays open. */
function outcome(check: typeof checkFraming, headers: IncomingMessage['headers'], httpVersion = '1.1') {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  request.httpVersion = httpVersion;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = true;
  const code = codeOf(() => check(request, response));
  return [code, response.shouldKeepAlive];
}

function codeOf(step: () => void): string {
  try {
    step();
    return 'fine';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'another error';
  }
}

it.each<[string | undefined, string, string, boolean]>([
  [undefined, '1.1', 'fine', true],
  ['chunked', '1.1', 'fine', true],
  [' Chunked ', '1.1', 'fine', true],
  ['chunked', '1.0', 'InvalidRequest', false],
  ['gzip', '1.1', 'NotImplemented', false],
  ['gzip', '1.0', 'NotImplemented', false],
  ['gzip, chunked', '1.1', 'NotImplemented', false],
])('RFC 9112 §6.1: the transfer coding "%s" of HTTP/%s is %s', (coding, version, code, isKept) => {
  const headers = coding === undefined ? {} : { 'transfer-encoding': coding };
  expect(outcome(checkFraming, headers, version)).toEqual([code, isKept]);
});

it.each<[string | undefined, string, string]>([
  [undefined, '1.1', 'fine'],
  ['100-continue', '1.1', 'fine'],
  ['100-Continue', '1.1', 'fine'],
  ['x, 100-continue', '1.1', 'fine'],
  ['200-ok', '1.1', 'ExpectationFailed'],
  ['1100-continue', '1.1', 'ExpectationFailed'],
  ['100-continues', '1.1', 'ExpectationFailed'],
  ['200-ok', '1.0', 'fine'],
])('RFC 9110 §10.1.1: the expectation "%s" of HTTP/%s is %s', (expected, version, code) => {
  const headers = expected === undefined ? {} : { expect: expected };
  expect(outcome(checkExpectation, headers, version)).toEqual([code, code === 'fine']);
});

describe('RFC 9112 §3.2: Host', () => {
  const code = (version: string, ...hosts: string[]) => {
    const request = new IncomingMessage(new Socket());
    request.httpVersion = version;
    return codeOf(() => checkHost(request, new RequestFields(hosts.flatMap(host => ['Host', host]))));
  };

  it('may be missing in HTTP/1.0 alone', () => {
    expect([code('1.0'), code('1.1')]).toEqual(['fine', 'InvalidRequest']);
  });

  it.each([
    '',
    'a.test',
    'a.test:',
    'a.test:80',
    '[::1]',
    '[::1]:80',
    '[2001:DB8::1.2.3.4]',
    "a_b~!$&'()*+;=%41",
  ])('may be "%s"', host => {
    expect(code('1.1', host)).toBe('fine');
  });

  it.each(['a.test/x', 'a b', 'a,b', 'user@a', '::1', '[::1', '[g::1]', 'a:b', 'a:80x', 'a:80:80', 'a?'])(
    'cannot be "%s"',
    host => {
      expect([code('1.1', host), code('1.0', host)]).toEqual(['InvalidRequest', 'InvalidRequest']);
    },
  );

  it('is one', () => {
    expect(code('1.1', 'a.test', 'a.test')).toBe('InvalidRequest');
  });
});
