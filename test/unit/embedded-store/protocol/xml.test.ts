import { expect, it } from 'vitest';
import { z } from 'zod';
import { emptyElement, parseXml, xmlDocument } from '../../../../src/embedded-store/protocol/xml.ts';

const TAGS = {
  root: 'Tagging',
  repeated: ['Tag'],
  schema: z.object({ TagSet: emptyElement.or(z.object({ Tag: z.array(z.object({ Key: z.string() })) })) }),
};

it('writes markup and control characters so that every reader gets them back', () => {
  const document = xmlDocument('A', { '@b': '"<', C: ['<&>"', '\r\u0001'], D: undefined, E: 1, F: false });
  expect(document).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<A b="&quot;&lt;"><C>&lt;&amp;&gt;&quot;</C><C>&#xd;&#x1;</C><E>1</E><F>false</F></A>',
  );
});

it.each([
  ['<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>', ['a']],
  ['<x:Tagging xmlns:x="y">\n <x:TagSet>\n<x:Tag><x:Key> 1 </x:Key></x:Tag></x:TagSet></x:Tagging>', [' 1 ']],
  ['<Tagging><TagSet/></Tagging>', []],
  ['<Tagging><TagSet><Tag><Key>&#34;&#x1F600;</Key></Tag></TagSet></Tagging>', ['"😀']],
  ['<Tagging><TagSet><Tag><Key>&lt;&amp;</Key></Tag><Tag><Key>b</Key></Tag></TagSet></Tagging>', ['<&', 'b']],
])('reads %s', (text, keys) => {
  const { TagSet } = parseXml(text, TAGS);
  expect('Tag' in TagSet ? TagSet.Tag.map(tag => tag.Key) : []).toEqual(keys);
});

it.each(['', 'text', '<Tagging>', '<Other/>', '<Tagging><TagSet><Tag/></TagSet></Tagging>', '{"a":1}'])(
  'refuses %j as malformed',
  text => {
    expect(() => parseXml(text, TAGS)).toThrow(expect.objectContaining({ code: 'MalformedXML' }));
  },
);

it('refuses a document that declares entities', () => {
  const bomb =
    '<!DOCTYPE a [<!ENTITY b "bbbb">]><Tagging><TagSet><Tag><Key>&b;</Key></Tag></TagSet></Tagging>';
  expect(() => parseXml(bomb, TAGS)).toThrow(expect.objectContaining({ code: 'MalformedXML' }));
});

it.each([
  ['deep', (count: number) => '<a>'.repeat(count) + '</a>'.repeat(count), 15, 17],
  ['many', (count: number) => '<a/>'.repeat(count), 199_992, 199_993],
])('refuses elements that are too %s', (_what, elements, fitting, tooMany) => {
  const documentOf = (count: number) =>
    `<Tagging><TagSet><Tag><Key>k</Key></Tag></TagSet>${elements(count)}</Tagging>`;
  const tooLarge = expect.objectContaining({ code: 'MalformedXML' });
  expect(() => parseXml(documentOf(tooMany), TAGS)).toThrow(tooLarge);
  expect(parseXml(documentOf(fitting), TAGS)).toEqual({ TagSet: { Tag: [{ Key: 'k' }] } });
});
