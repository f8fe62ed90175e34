import { expect, it } from 'vitest';
import { endChanged } from '../../../../src/gateway/web/changed-keys.ts';
import { readWebHead } from '../../../../src/gateway/web/stored-answer.ts';
import type { WebRead } from '../../../../src/gateway/web/web-read.ts';
import { type WebBucket, webTarget } from '../../../../src/gateway/web/web-target.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { slots } from '../../../support/object-keys.ts';
import { bucketOf } from '../../../support/object-reads.ts';

/** What a change of `/page` ends that is answered with this Location, at an origin that has all below `/docs`. */
function endedBy(location: string): string[] {
  const bucket: WebBucket = {
    ...{ ...bucketOf(), epochs: slots.ofWeb({ backend: 'web', bucket: 'b' }) },
    web: {
      ...{ host: { kind: 'origin' }, forwarded: false, originHost: 'origin.test', pathPrefix: '/docs' },
      ...{ query: { names: 'all', isSorted: false }, storesCookies: false },
    },
  };
  const address = { bucket, path: '/page', query: undefined, host: 'site.test' };
  const read = { address, target: webTarget(address, 'http'), request: { scheme: 'http' } };
  const slotOf = (path: string) => webTarget({ ...address, path }, 'http').key.keySlot;
  const paths = new Map(['/page', '/other', '/docs/other'].map(path => [slotOf(path), path]));
  const ended: string[] = [];
  const records = {
    invalidate: ({ keySlot }: { readonly keySlot: number }) => ended.push(paths.get(keySlot) ?? 'something'),
    unsettle: () => ended.push('unsettled'),
    invalidateGroups: () => undefined,
  };
  const head = readWebHead({ status: 201, fields: [httpHeader('location', location)] });
  const times = {
    ...{ epoch: 0, barrier: 0, isUnsettled: false, heldTags: [], groupSlots: () => 0 },
    ...{ requestedMs: 0, receivedMs: 0 },
  };
  endChanged(records, read as unknown as WebRead, head, times, 'invalidate');
  return [...new Set(ended)];
}

it.each([
  ['/docs/other', ['/page', '/other']],
  ['other', ['/page', '/other']],
  ['http://site.test/docs/other', ['/page', '/other']],
  ['/docs/docs/other', ['/page', '/docs/other']],
  ['/blog/other', ['/page']],
  ['http://else.test/docs/other', ['/page']],
])('where an origin has all in a folder, Location %s ends what is there: %j', (location, ended) => {
  expect(endedBy(location)).toEqual(ended);
});
