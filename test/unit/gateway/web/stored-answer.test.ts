import { expect, it } from 'vitest';
import { isEventStream, readWebHead } from '../../../../src/gateway/web/stored-answer.ts';

it.each([
  ['text/event-stream', undefined, true],
  ['Text/Event-Stream ; charset=utf-8', undefined, true],
  ['text/event-stream', 100, false],
  ['text/event-streams', undefined, false],
  ['text/html; of=text/event-stream', undefined, false],
])('%s of %s bytes is a stream of events: %s', (value, lengthBytes, isStream) => {
  const fields = [{ name: 'content-type', value, store: false }];
  expect(isEventStream(readWebHead({ status: 200, fields }), lengthBytes)).toBe(isStream);
});

it.each([
  ['tracestate', '*'],
  ['Accept, TraceParent', '*'],
  ['Accept, trace', ['accept', 'trace']],
])('of %s it can be told who has asked the same: %j', (value, vary) => {
  const fields = [{ name: 'vary', value, store: false }];
  expect(readWebHead({ status: 200, fields }).vary).toEqual(vary);
});
