import { expect, it } from 'vitest';
import { escapeName, escapeText } from '../../../src/s3/xml-text.ts';

it.each([
  ["plain text, with 100% of signs: \t\n!#$'()*+-./:;=?@[]^_`{|}~", undefined],
  ['é, 日本, \ud83d\ude00', undefined],
  ['a & b < c > d "e"', 'a &amp; b &lt; c &gt; d &quot;e&quot;'],
  ['&amp;', '&amp;amp;'],
  ['line\r\nend', 'line&#13;\nend'],
])('%j is escaped alike as text and as name', (value, escaped = value) => {
  expect(escapeText(value)).toBe(escaped);
  expect(escapeName(value)).toBe(escaped);
});

it.each([
  ['\u0000', '\ufffd', '&#x0;'],
  ['a\u001fb', 'a\ufffdb', 'a&#x1F;b'],
  ['\uffff', '\ufffd', '&#xFFFF;'],
  ['\ud800', '\ufffd', '\ufffd'],
])(
  'what XML does not allow, such as %j, is replaced in texts and stays distinct in names',
  (value, text, name) => {
    expect([escapeText(value), escapeName(value)]).toEqual([text, name]);
  },
);
