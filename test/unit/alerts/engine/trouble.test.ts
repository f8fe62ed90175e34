import { expect, it } from 'vitest';
import { troubleOf } from '../../../../src/alerts/engine/trouble.ts';
import { describeRule } from '../../../../src/alerts/rules/rule-description.ts';
import { sampleAlert } from '../../../support/notifications.ts';

const down = sampleAlert('backendUnreachable', { severity: 'critical' });

it('warns of each alert that fires or is about to, and says what it is about', () => {
  const other = { ...down, id: 'b', labels: { backend: 'other' } };
  const pending = sampleAlert('backendErrors', { state: 'pending', severity: 'critical' });
  const over = sampleAlert('retryStorm', { state: 'resolved' });
  const { warnings, critical } = troubleOf([down, other, pending, over]);
  const unreachable = [
    'backendUnreachable: A backend does not answer, or only with errors (backend main)',
    'backendUnreachable: A backend does not answer, or only with errors (backend other)',
  ];
  expect(warnings).toEqual([...unreachable, 'backendErrors: A backend answers with errors (backend main)']);
  expect(critical).toEqual(unreachable);
});

it('tells whether anything fires, or is only about to', () => {
  const pending = sampleAlert('backendErrors', { state: 'pending' });
  expect(troubleOf([pending]).isFiring).toBe(false);
  expect(troubleOf([pending, sampleAlert('retryStorm')]).isFiring).toBe(true);
});

it('says why, where that is known', () => {
  const restarting = sampleAlert('restartLoop', { labels: {} });
  expect(troubleOf([{ ...down, cause: 'ECONNREFUSED' }, restarting]).warnings).toEqual([
    'backendUnreachable: A backend does not answer, or only with errors (backend main): nothing listens there (ECONNREFUSED)',
    `restartLoop: ${describeRule('restartLoop').title}`,
  ]);
});

it('keeps nobody from being ready for what is silenced, a warning or mere information', () => {
  const silenced = { ...down, silencedUntilMs: 1 };
  expect(troubleOf([silenced, sampleAlert('retryStorm')]).critical).toEqual([]);
  const info = troubleOf([sampleAlert('heartbeat', { severity: 'info' })]);
  expect(info).toEqual({ warnings: [], isFiring: false, critical: [] });
});
