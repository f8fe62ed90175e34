import { expect, it } from 'vitest';
import { troubleOf } from '../../../../src/alerts/engine/trouble.ts';
import { sampleAlert } from '../../../support/notifications.ts';

const down = sampleAlert('backendUnreachable', { severity: 'critical' });

it('warns of what fires and of what is about to, once for each rule, and how many alerts it has', () => {
  const other = { ...down, id: 'b', labels: { backend: 'other' } };
  const pending = sampleAlert('backendErrors', { state: 'pending', severity: 'critical' });
  const over = sampleAlert('retryStorm', { state: 'resolved' });
  const { warnings, critical } = troubleOf([down, other, pending, over]);
  expect(warnings).toEqual([
    'backendUnreachable: A backend does not answer, or only with errors (2 alerts)',
    'backendErrors: A backend answers with errors',
  ]);
  expect(critical).toEqual(['backendUnreachable: A backend does not answer, or only with errors (2 alerts)']);
});

it('tells whether anything fires, or is only about to', () => {
  const pending = sampleAlert('backendErrors', { state: 'pending' });
  expect(troubleOf([pending]).isFiring).toBe(false);
  expect(troubleOf([pending, sampleAlert('retryStorm')]).isFiring).toBe(true);
});

it('says why, each cause once, and names no backend', () => {
  const causes = ['ECONNREFUSED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ECONNREFUSED'];
  const alerts = causes.map((cause, index) => ({ ...down, id: String(index), cause }));
  expect(troubleOf(alerts).warnings).toEqual([
    'backendUnreachable: A backend does not answer, or only with errors (3 alerts): nothing listens there (ECONNREFUSED), its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ]);
});

it('keeps nobody from being ready for what is silenced, a warning or mere information', () => {
  const silenced = { ...down, silencedUntilMs: 1 };
  expect(troubleOf([silenced, sampleAlert('retryStorm')]).critical).toEqual([]);
  const info = troubleOf([sampleAlert('heartbeat', { severity: 'info' })]);
  expect(info).toEqual({ warnings: [], isFiring: false, critical: [] });
});
