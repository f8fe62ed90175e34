import { describe, expect, it } from 'vitest';
import { alertNames } from '../../../src/alerts/rules/rule-description.ts';
import { isAlertOptions, settingsOf } from '../../../src/alerts/rules/rule-settings.ts';
import { createRules } from '../../../src/alerts/rules/rule-table.ts';
import { rulesSchema } from '../../../src/config/rule-schema.ts';

it('reads settings of every kind under their names in YAML', () => {
  const options = rulesSchema().parse({
    backendErrors: { threshold: 0.1, for: '2m', severity: 'warning', minRequests: 5 },
    slowFirstByte: { threshold: '5s', hitThreshold: '250ms', window: '1m' },
    retryStorm: false,
    heartbeat: { every: '1h' },
    stopped: false,
  });
  expect(options).toEqual({
    backendErrors: { threshold: 0.1, forMs: 120_000, severity: 'warning', minRequests: 5 },
    slowFirstByte: { thresholdMs: 5_000, hitThresholdMs: 250, windowMs: 60_000 },
    retryStorm: false,
    heartbeat: { everyMs: 3_600_000 },
    stopped: false,
  });
  expect(createRules(options).find(({ name }) => name === 'backendErrors')).toMatchObject({
    ...{ forMs: 120_000, clearForMs: 60_000, severity: 'warning' },
  });
});

it('takes every setting of every rule, and every rule off', () => {
  const written = { duration: '1m', number: 1, severity: 'info' };
  for (const name of alertNames) {
    const settings = settingsOf(name);
    if (settings === 'off') throw new Error(`${name} is off by default`);
    const all = Object.fromEntries(settings.map(setting => [setting.name, written[setting.kind]]));
    expect(rulesSchema().safeParse({ [name]: all }).success, name).toBe(true);
    expect(rulesSchema().safeParse({ [name]: false }).success, name).toBe(true);
  }
});

it.each([
  ['a rule that does not exist', { backendErorrs: false }],
  ['a setting that the rule has not', { eventLoopLag: { window: '1m' } }],
  ['a number where a duration belongs', { slowFirstByte: { threshold: 3 } }],
  ['a duration where a number belongs', { backendErrors: { threshold: '3s' } }],
  ['a severity that does not exist', { backendErrors: { severity: 'fatal' } }],
  ['a window longer than measurements are kept', { backendErrors: { window: '4d' } }],
  ['true', { backendErrors: true }],
])('refuses %s', (_, rules) => {
  expect(rulesSchema().safeParse(rules).success).toBe(false);
});

describe('options in code', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [{ backendErrors: false, heartbeat: { everyMs: 1 } }, true],
    [{ backendErrors: { forMs: Number.NaN } }, false],
    [{ backendErrors: { for: 1 } }, false],
    [{ backendErrors: { severity: 1 } }, false],
    [{ unheardOf: false }, false],
    [{ backendErrors: null }, false],
    [null, false],
  ])('%j are options: %s', (value, expected) => {
    expect(isAlertOptions(value)).toBe(expected);
  });

  it('show what is in force', () => {
    expect(settingsOf('backendErrors', { backendErrors: { threshold: 0.2 } })).toContainEqual({
      ...{ name: 'threshold', kind: 'number', value: 0.2 },
    });
    expect(settingsOf('backendErrors', { backendErrors: false })).toBe('off');
    expect(settingsOf('unheardOf')).toBe('off');
  });
});
