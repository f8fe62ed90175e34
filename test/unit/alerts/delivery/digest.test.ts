import { expect, it } from 'vitest';
import { foldIntoDigest, shrinkNotification } from '../../../../src/alerts/delivery/digest.ts';
import { sampleAlert, sampleNotification } from '../../../support/notifications.ts';

it('holds every alert once, as it was last told, the most urgent first', () => {
  const firing = { ...sampleNotification('one'), alerts: [sampleAlert('hitRatio')] };
  const over = { ...sampleNotification('two'), alerts: [sampleAlert('hitRatio', { state: 'resolved' })] };
  const worse = sampleNotification('three', 'critical', 'resolved');
  const digest = foldIntoDigest([firing, over, worse]);
  expect(digest).toMatchObject({ kind: 'digest', severity: 'critical' });
  expect(digest.alerts.map(({ severity, state }) => [severity, state])).toEqual([
    ['critical', 'resolved'],
    ['warning', 'resolved'],
  ]);
});

it('shrinks to one alert with short texts, and says so', () => {
  const long = sampleAlert('hitRatio', {
    summary: '😀'.repeat(300),
    facts: Array.from({ length: 9 }, (_, index) => ({ name: `f${index}`, value: 'v'.repeat(500) })),
  });
  const shrunk = shrinkNotification({ ...sampleNotification('a'), alerts: [long, sampleAlert('other')] });
  expect(shrunk.alerts).toHaveLength(1);
  const [alert] = shrunk.alerts;
  expect([...(alert?.summary ?? '')]).toHaveLength(200);
  expect(alert?.summary.isWellFormed()).toBe(true);
  expect(alert?.facts.at(-1)).toEqual({
    name: 'Shortened',
    value: 'the whole card was too large for the channel (and 1 more)',
  });
  expect(JSON.stringify(shrunk).length).toBeLessThan(2_000);
});
