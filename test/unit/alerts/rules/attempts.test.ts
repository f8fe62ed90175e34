import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isCountedAttempt, isFailedAttempt } from '../../../../src/alerts/rules/attempts.ts';
import { alertNames } from '../../../../src/alerts/rules/rule-description.ts';
import { stepsOf } from '../../../../src/alerts/rules/runbook-steps.ts';
import { REFUSED, unansweredOutcomes } from '../../../../src/backend/call-outcome.ts';

interface PrometheusRules {
  readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[];
}

const root = new URL('../../../../', import.meta.url);
const prometheusRules: PrometheusRules = parse(
  readFileSync(new URL('config/prometheus/tidegate.rules.yaml', root), 'utf8'),
);
const ofPrometheus = prometheusRules.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
const ofRunbook = alertNames
  .flatMap(name => stepsOf(name))
  .flatMap(({ kind, text }) => (kind === 'promql' ? text : []));

/** Every final status (RFC 9110 §15), every way to end without one, and what refuses the gateway's own keys. */
const statuses = [
  ...Array.from({ length: 400 }, (_, index) => String(200 + index)),
  ...Object.keys(unansweredOutcomes),
  REFUSED,
];

/** The selectors of backend requests in an expression, without braces, in their order. */
function selectors(expression: string): readonly string[] {
  return Array.from(
    expression.matchAll(/tidegate_backend_requests_total(?:\{([^}]*)\})?/g),
    ([, selector = '']) => selector,
  );
}

/** The statuses that a selector takes: Prometheus matches whole values. */
function taken(selector: string): readonly string[] {
  const matchers = Array.from(
    selector.matchAll(/status(=~|!~|!=|=)"([^"]*)"/g),
    ([, operator = '', value = '']) => ({ operator, value }),
  );
  return statuses.filter(status =>
    matchers.every(({ operator, value }) => {
      const isMatch = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(status) : status === value;
      return operator.startsWith('!') ? !isMatch : isMatch;
    }),
  );
}

const failed = statuses.filter(status => isFailedAttempt({ status }));
const counted = statuses.filter(status => isCountedAttempt({ status }));

it('takes server errors but 501 for failures of a store, what it left without an answer, and refused keys', () => {
  const ofStatus = failed.filter(status => /^\d+$/.test(status));
  expect(ofStatus).toHaveLength(99);
  expect(ofStatus.every(status => status.startsWith('5') && status !== '501')).toBe(true);
  expect(failed.filter(status => !ofStatus.includes(status))).toEqual([
    'unreachable',
    'timeout',
    'broken',
    'invalid',
    'refused',
  ]);
});

it('does not count what the gateway or the client ended', () => {
  expect(statuses.filter(status => !counted.includes(status))).toEqual([
    'fault',
    'busy',
    'unsigned',
    'aborted',
  ]);
});

describe('a share of failed requests counts as the rules of the gateway do:', () => {
  const shares = [...ofPrometheus, ...ofRunbook].filter(
    expression => selectors(expression).length === 2 && expression.includes('/ sum by'),
  );

  it('in the rules for Prometheus once, and in the runbook twice', () => {
    expect(ofPrometheus.filter(expression => shares.includes(expression))).toHaveLength(1);
    expect(ofRunbook.filter(expression => shares.includes(expression))).toHaveLength(2);
  });

  it.each(shares)('%s', expression => {
    const [numerator = '', denominator = ''] = selectors(expression);
    expect(taken(numerator)).toEqual(failed);
    expect(taken(denominator)).toEqual(counted);
  });
});

it('the alert for Prometheus asks for enough requests of those that count', () => {
  const guards = ofPrometheus.filter(expression => /\band sum by[^>]*backend_requests/.test(expression));
  expect(guards).toHaveLength(1);
  for (const guard of guards) expect(selectors(guard).map(taken)).toEqual([counted]);
});
