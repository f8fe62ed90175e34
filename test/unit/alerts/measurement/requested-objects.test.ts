import { expect, it } from 'vitest';
import { RequestedObjects } from '../../../../src/alerts/measurement/requested-objects.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;

it('names a bucket’s objects, the one most asked for first, versions apart', () => {
  const objects = new RequestedObjects(new ManualClock());
  objects.note({ bucket: 'b', key: 'rare' });
  for (let count = 0; count < 3; count++) objects.note({ bucket: 'b', key: 'often', versionId: 'v1' });
  objects.note({ bucket: 'b', key: 'often' });
  objects.note({ bucket: 'other', key: 'often' });
  expect(objects.of('b')).toEqual([
    { bucket: 'b', key: 'often', versionId: 'v1', count: 3 },
    { bucket: 'b', key: 'rare', count: 1 },
    { bucket: 'b', key: 'often', count: 1 },
  ]);
});

it('forgets what was not asked for in a quarter of an hour', () => {
  const clock = new ManualClock();
  const objects = new RequestedObjects(clock);
  objects.note({ bucket: 'b', key: 'old' });
  clock.advance(10 * MINUTE_MS);
  objects.note({ bucket: 'b', key: 'new' });
  clock.advance(5 * MINUTE_MS);
  expect(objects.of('b').map(({ key }) => key)).toEqual(['new']);
});

it('remembers a thousand objects and no more', () => {
  const objects = new RequestedObjects(new ManualClock());
  for (let index = 0; index < 5_000; index++) objects.note({ bucket: 'b', key: `k${index}` });
  const keys = objects.of('b').map(({ key }) => key);
  expect(keys.length).toBeLessThanOrEqual(1_000);
  expect(keys).toContain('k4999');
  expect(keys).not.toContain('k0');
});
