import { expect, it, vi } from 'vitest';
import { EpochSlots } from '../../../../src/cache/epoch-slots.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { StoodInNames } from '../../../../src/cache/stood-in-names.ts';
import type { WebRead, WebSource } from '../../../../src/gateway/web/web-read.ts';
import { type WebBucket, webKeyOf } from '../../../../src/gateway/web/web-target.ts';
import { StandIn } from '../../../../src/gateway/workers/stand-in.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { testKey } from '../../../support/object-keys.ts';
import { bucketOf } from '../../../support/object-reads.ts';

function webBucket(): WebBucket {
  return {
    ...bucketOf(),
    epochs: new EpochSlots(allocateSharedMemory(2 ** 20, 65_536, 2)).ofWeb({ backend: 'web', bucket: 'b' }),
    rulesFor: () => ({}) as never,
    web: {
      ...{ host: { kind: 'origin' }, forwarded: false, originHost: 'origin.test', pathPrefix: '' },
      ...{ query: { names: 'all', isSorted: false }, storesCookies: false },
    },
  };
}

/** Notes in which order what is held is given up, and the own look-up is asked. */
function noting() {
  const noted: string[] = [];
  const names = new StoodInNames({
    ...{ clock: new ManualClock(), worker: 0, workers: 2 },
    table: { drop: text => void noted.push(`drop ${text}`) },
    epochs: { raise: () => undefined },
  });
  const own: WebSource = {
    serve: ({ target }) => void noted.push(`serve ${target.key.text}`),
    warm: async () => {
      noted.push('warm');
      return { kind: 'warmed', bytes: 4 };
    },
  };
  return { noted, names, standIn: new StandIn(1, own, names) };
}

it('what is held from before is given up before a read is answered', () => {
  const { noted, standIn } = noting();
  const key = testKey('web', '/', '/k');
  standIn.serve({ target: { key } } as WebRead);
  expect(noted).toEqual([`drop ${key.text}`, `serve ${key.text}`]);
});

it('what is held from before is given up before a page is warmed', async () => {
  const { noted, standIn } = noting();
  const page = { bucket: webBucket(), key: '/k' };
  await standIn.warm(page, new AbortController().signal);
  expect(noted).toEqual([`drop ${webKeyOf(page.bucket, page.key).text}`, 'warm']);
});

it('is over with the outage of its owner', () => {
  const { names, standIn } = noting();
  const end = vi.spyOn(names, 'end');
  standIn.end();
  expect(end.mock.calls).toEqual([[1]]);
});
