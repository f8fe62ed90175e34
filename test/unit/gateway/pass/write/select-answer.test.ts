import { expect, it } from 'vitest';
import { SelectAnswer } from '../../../../../src/gateway/pass/write/select-answer.ts';
import { hearing } from '../../../../support/hearing.ts';

const message = Buffer.from([0, 0, 0, 16, 0, 0, 0, 0, 5, 194, 72, 235, 152, 80, 201, 231]).toString();

it.each([
  ['a stream of events', 200, [message, '<rows/>'], 'events'],
  ['an error under 200', 200, ['<?xml version="1.0"?>', '<Error/>'], 'document'],
  ['white space before an error', 200, ['\n', '<Error/>'], 'document'],
  ['a refusal', 403, ['<Error/>'], 'document'],
  ['another success', 206, [message], 'document'],
  ['nothing', 200, [], 'events'],
])('%s (%i) goes its way', (_, status, chunks, way) => {
  const ways = { events: hearing(), document: hearing() };
  const answer = new SelectAnswer(ways.events.receiver, ways.document.receiver);
  answer.answered({ status, fields: [] });
  for (const chunk of chunks) answer.arrived(Buffer.from(chunk));
  answer.ended();
  expect({ events: ways.events.heard, document: ways.document.heard }).toEqual({
    ...{ events: [], document: [] },
    [way]: [String(status), ...chunks, 'ended'],
  });
});

it('what breaks off before the first byte fails', () => {
  const events = hearing();
  const answer = new SelectAnswer(events.receiver, hearing().receiver);
  answer.answered({ status: 200, fields: [] });
  answer.failed('gone');
  expect(events.heard).toEqual(['failed: gone']);
});
