import { expect } from 'vitest';
import type { RawReply } from '../raw-request.ts';
import { xmlChildren, xmlText } from './xml-text.ts';

/** What a refused request must be answered with. */
interface ExpectedError {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  /** The code's own elements, in order; a value of undefined only wants the element. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
}

/**
 * Expects an error as docs/semantics.md, section 10, has it: elements in order, ids equal to the headers, no
 * resource.
 */
export function expectError(reply: RawReply, { status, code, message, fields = {} }: ExpectedError): void {
  expect({ status: reply.status, code: xmlText(reply.text, 'Code') }).toEqual({ status, code });
  if (message !== undefined) expect(decoded(xmlText(reply.text, 'Message'))).toBe(message);
  const expected = ['Code', 'Message', ...Object.keys(fields), 'RequestId', 'HostId'];
  expect(xmlChildren(reply.text)).toEqual(expected);
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) expect(decoded(xmlText(reply.text, name))).toBe(value);
  }
  const prefix = 'x-amz-request-id' in reply.headers ? 'x-amz-' : 'x-store-';
  expect(xmlText(reply.text, 'RequestId')).toBe(reply.headers[`${prefix}request-id`]);
  expect(xmlText(reply.text, 'HostId')).toBe(reply.headers[`${prefix}id-2`]);
  expect(reply.headers['content-type']).toBe('application/xml');
}

function decoded(text: string | undefined): string | undefined {
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
