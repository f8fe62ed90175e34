import { expect, it } from 'vitest';
import type { RemoteContent } from '../../../../src/gateway/workers/remote-content.ts';
import { ToldObject } from '../../../../src/gateway/workers/told-object.ts';

it('of an object that is told to nobody the last contents are remembered', () => {
  const known = new ToldObject('k', undefined, new Map(), [], 0);
  const contents = Array.from({ length: 100 }, (_, contentId) => ({ contentId }) as RemoteContent);
  for (const content of contents) known.add(content);
  expect(contents.filter(({ contentId }) => known.content(contentId))).toEqual(contents.slice(-64));
});
