import { expect, it } from 'vitest';
import { noticeTable } from '../../../src/alerts/rules/notice-table.ts';
import { ruleTable } from '../../../src/alerts/rules/rule-table.ts';
import { shares } from '../../../src/config/alert-rule-schema.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const alerts = (keys: string) => parseConfig(`alerts: { ${keys} }`, {}).alerts;

function problems(keys: string): readonly string[] {
  try {
    alerts(keys);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

it.each(Object.entries({ ...ruleTable, ...noticeTable }))(
  'takes every option of the rule %s, with a unit where it is a duration',
  (name, { defaults }) => {
    const written = Object.entries(defaults).map(([option, value]) =>
      option.endsWith('Ms') ? `${option.slice(0, -2)}: ${value}ms` : `${option}: ${value}`,
    );
    expect(alerts(`rules: { ${name}: { ${written.join(', ')} } }`).rules).toEqual({ [name]: defaults });
    expect(alerts(`rules: { ${name}: false }`).rules).toEqual({ [name]: false });
  },
);

it.each(Object.keys({ ...ruleTable, ...noticeTable }))('a wrong setting of %s is shown', name => {
  for (const [written, shown] of [
    ['loud', '"loud"'],
    ['7', '7'],
  ])
    expect(problems(`rules: { ${name}: { severity: ${written} } }`)).toEqual([
      `alerts.rules.${name}.severity holds ${shown}; expected info, warning, critical`,
    ]);
});

const fractions = Object.entries(ruleTable).flatMap(([rule, { defaults }]) =>
  Object.entries(defaults).flatMap(([option, value]) =>
    typeof value === 'number' && !Number.isInteger(value) && value < 1 ? [[rule, option] as const] : [],
  ),
);

it.each(fractions)(
  '%s.%s is a share: more than the whole is an error, and the whole is none',
  (rule, option) => {
    expect(problems(`rules: { ${rule}: { ${option}: 1 } }`)).toEqual([]);
    for (const value of ['1.001', '"5"', '-0.1']) {
      const [problem, ...others] = problems(`rules: { ${rule}: { ${option}: ${value} } }`);
      expect(problem).toContain(`alerts.rules.${rule}.${option} holds `);
      expect(problem).toContain('; expected a share from 0 to 1');
      expect(others).toEqual([]);
    }
  },
);

it('shares are known by their defaults', () => {
  expect(fractions.map(names => names.join('.')).sort()).toEqual([...shares].sort());
});

it('a workflow gets adaptive cards unless told otherwise, and nothing else', () => {
  expect(alerts('webhooks: [{ url: "https://x/1", service: workflows }]').webhooks[0]?.card).toBe('adaptive');
  expect(alerts('webhooks: [{ url: "https://x/1" }]').webhooks[0]?.card).toBe('connector');
});

it.each([
  [
    'rules: { backendError: false }',
    'alerts.rules.backendError is an unknown key and holds false; the known keys are backendUn',
  ],
  ['rules: { backendErrors: { for: 5 } }', 'alerts.rules.backendErrors.for holds 5; expected a duration'],
  [
    'rules: { hitRatioDrop: { window: 67h } }',
    'alerts.rules.hitRatioDrop.window holds "67h"; expected a duration such as 500ms, 10s, 5m, 1h or 1d, up to 66h',
  ],
  [
    'rules: { backendErrors: { threshold: 5 } }',
    'alerts.rules.backendErrors.threshold holds 5; expected a share from 0 to 1, such as 0.05 for 5 %',
  ],
  ['rules: { backendErrors: { budget: 5 } }', 'alerts.rules.backendErrors.budget is an unknown key'],
  [
    'rules: { backendErrors: 0.05 }',
    'alerts.rules.backendErrors holds 0.05; expected false, or a map of severity, ',
  ],
  ['rules: { heartbeat: { severity: loud } }', 'holds "loud"; expected info, warning, critical'],
  [
    'webhooks: [{ url: "https://x/1", rules: [nope] }]',
    'alerts.webhooks[0].rules[0] holds "nope"; expected backendU',
  ],
  [
    'webhooks: [{ url: "https://x/1", share: 0.1 }]',
    'alerts.webhooks[0].share holds 0.1; expected a number from 0.25',
  ],
  [
    'webhooks: [{ url: "https://x/1", service: workflows, card: text }]',
    'alerts.webhooks[0].card holds "text"; expected adaptive, since a workflow shows no other card',
  ],
  [
    'webhooks: [{ url: "https://x/1" }, { url: "https://x/1" }]',
    'alerts.webhooks[1].url holds a value that is not shown, a text of 11 characters; expected a URL that no webhook before it has',
  ],
  [
    'callbacks: { port: 1, url: "https://x" }',
    'alerts.callbacks.token is missing; expected a map of issuer, ',
  ],
])('%s', (keys, expected) => {
  expect(problems(keys)).toEqual([expect.stringContaining(expected)]);
});
