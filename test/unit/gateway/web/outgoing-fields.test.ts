import { expect, it } from 'vitest';
import { fieldsOfNobody } from '../../../../src/gateway/web/outgoing-fields.ts';

it.each([
  [[], ['accept: */*', 'host: a.example', 'user-agent: tidegate', 'via: 1.1 tidegate']],
  [['user-agent'], ['accept: */*', 'host: a.example', 'user-agent: browser', 'via: 1.1 tidegate']],
  [
    ['accept', 'via'],
    ['accept: text/html', 'host: a.example', 'user-agent: tidegate', 'via: 1.1 cdn'],
  ],
])(
  'what is asked in nobody’s name has one field of each name: of the client what Vary names (%j)',
  (names, expected) => {
    const sent = Object.entries({
      ...{ host: 'a.example', 'user-agent': 'browser', accept: 'text/html' },
      ...{ cookie: 'user=1', authorization: 'Basic x', via: '1.1 cdn' },
    }).map(([name, value]) => ({ name, value, store: false }));
    const fields = fieldsOfNobody(sent, names).map(({ name, value }) => `${name}: ${value}`);
    expect(fields.sort()).toEqual(expected);
  },
);
