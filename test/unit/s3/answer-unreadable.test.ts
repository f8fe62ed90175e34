import { expect, it } from 'vitest';
import { answerUnreadable } from '../../../src/s3/answer-unreadable.ts';

const ids = { requestId: '0123456789abcdef', id2: 'thread' };

it.each([
  ['malformed', '400 Bad Request', 'InvalidRequest'],
  ['invalid-uri', '400 Bad Request', 'InvalidURI'],
  ['headers-too-large', '431 Request Header Fields Too Large', 'InvalidRequest'],
  ['tunnel', '405 Method Not Allowed', 'MethodNotAllowed'],
  ['too-many-connections', '503 Service Unavailable', 'SlowDown'],
  ['too-slow', '408 Request Timeout', 'RequestTimeout'],
] as const)('%s is answered with %s, %s and the ids of the answer in head and body', (why, status, code) => {
  const [head = '', body = ''] = answerUnreadable(why, 784_111_777_000, ids).text.split('\r\n\r\n');
  const lines = head.split('\r\n');
  expect(lines[0]).toBe(`HTTP/1.1 ${status}`);
  expect(lines).toContain(`content-length: ${Buffer.byteLength(body)}`);
  expect(lines).toContain('date: Sun, 06 Nov 1994 08:49:37 GMT');
  expect(lines).toContain('connection: close');
  expect(lines).toContain(`x-store-request-id: ${ids.requestId}`);
  expect(lines).toContain(`x-store-id-2: ${ids.id2}`);
  expect(body).toContain(`<Code>${code}</Code>`);
  expect(body).toContain(`<RequestId>${ids.requestId}</RequestId><HostId>${ids.id2}</HostId>`);
});
