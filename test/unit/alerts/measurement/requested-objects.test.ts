import { expect, it } from 'vitest';
import { mergeRequests, RequestedObjects } from '../../../../src/alerts/measurement/requested-objects.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;

it('counts requests by object, versions apart', () => {
  const objects = new RequestedObjects(new ManualClock());
  objects.note({ bucket: 'b', key: 'rare' });
  for (let count = 0; count < 3; count++) objects.note({ bucket: 'b', key: 'often', versionId: 'v1' });
  objects.note({ bucket: 'b', key: 'often' });
  expect(objects.recent()).toEqual([
    { bucket: 'b', key: 'rare', count: 1 },
    { bucket: 'b', key: 'often', versionId: 'v1', count: 3 },
    { bucket: 'b', key: 'often', count: 1 },
  ]);
});

it('adds up what several workers were asked for, the object most asked for first', () => {
  const one = [
    { bucket: 'b', key: 'x', count: 2 },
    { bucket: 'b', key: 'y', versionId: 'v', count: 4 },
  ];
  const two = [
    { bucket: 'b', key: 'x', count: 5 },
    { bucket: 'c', key: 'x', count: 1 },
  ];
  expect(mergeRequests([one, [], two])).toEqual([
    { bucket: 'b', key: 'x', count: 7 },
    { bucket: 'b', key: 'y', versionId: 'v', count: 4 },
    { bucket: 'c', key: 'x', count: 1 },
  ]);
});

it('forgets what was not asked for in a quarter of an hour', () => {
  const clock = new ManualClock();
  const objects = new RequestedObjects(clock);
  objects.note({ bucket: 'b', key: 'old' });
  clock.advance(10 * MINUTE_MS);
  objects.note({ bucket: 'b', key: 'new' });
  clock.advance(5 * MINUTE_MS);
  expect(objects.recent().map(({ key }) => key)).toEqual(['new']);
});

it('remembers a thousand objects and no more', () => {
  const objects = new RequestedObjects(new ManualClock());
  for (let index = 0; index < 5_000; index++) objects.note({ bucket: 'b', key: `k${index}` });
  const keys = objects.recent().map(({ key }) => key);
  expect(keys.length).toBeLessThanOrEqual(1_000);
  expect(keys).toContain('k4999');
  expect(keys).not.toContain('k0');
});
