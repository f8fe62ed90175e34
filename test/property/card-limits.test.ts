import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Alert, Notification } from '../../src/alerts/alert.ts';
import type { CardForm } from '../../src/alerts/card/card.ts';
import { renderCard } from '../../src/alerts/card/render-card.ts';
import { validateCard } from '../../src/alerts/card/validate-card.ts';
import { alertNames } from '../../src/alerts/rules/rule-description.ts';
import { adaptiveCardProblems } from '../support/adaptive-card-check.ts';
import { allLinks } from '../support/card-links.ts';

/** Anything at all, and what is dear in bytes or means something to a reader of Markdown, HTML or templates. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(
    '<script>',
    '](javascript:x)',
    '{{why.value}}',
    '**',
    '\u202e',
    '\u0000',
    '\\',
    '&amp;',
    '|',
    '@',
  ),
  fc.tuple(fc.constantFrom('🦀', '€', '&', '\\', '"', '\u0001'), fc.nat(6_000)).map(([c, n]) => c.repeat(n)),
);

const alert: fc.Arbitrary<Alert> = fc.record(
  {
    id: fc.stringMatching(/^[0-9a-f]{16}\.[0-9a-z]{8}$/),
    fingerprint: fc.stringMatching(/^[0-9a-f]{16}$/),
    rule: fc.oneof(fc.constantFrom(...alertNames), hostile),
    severity: fc.constantFrom('info', 'warning', 'critical'),
    state: fc.constantFrom('firing', 'resolved'),
    labels: fc.dictionary(hostile, hostile, { maxKeys: 3 }),
    summary: hostile,
    facts: fc.array(fc.record({ name: hostile, value: hostile }), { maxLength: 20 }),
    startedAtMs: fc.nat(2e12),
    endedAtMs: fc.nat(2e12),
    subjects: fc.array(
      fc.record({ bucket: fc.string({ maxLength: 255 }), key: fc.string({ maxLength: 1_024 }) }),
      { maxLength: 8 },
    ),
    silencedUntilMs: fc.nat(2e12),
    silencedBy: hostile,
    silenceReason: hostile,
    acknowledgedBy: hostile,
  },
  {
    requiredKeys: [
      'id',
      'fingerprint',
      'rule',
      'severity',
      'state',
      'labels',
      'summary',
      'facts',
      'startedAtMs',
    ],
  },
);

const notification: fc.Arbitrary<Notification> = fc.record({
  kind: fc.constantFrom('firing', 'resolved', 'repeat', 'digest', 'notice', 'test'),
  alerts: fc.array(alert, { minLength: 1, maxLength: 60 }),
  severity: fc.constantFrom('info', 'warning', 'critical'),
  dedupeKey: fc.string(),
});

it.each<CardForm>(['connector', 'adaptive', 'text'])(
  'a %s card of anything at all is valid and short enough',
  form => {
    fc.assert(
      fc.property(notification, news => {
        const card = JSON.parse(JSON.stringify(renderCard(news, form, allLinks)));
        expect(validateCard(card, form)).toMatchObject({ kind: 'valid' });
        if (form === 'adaptive') expect(adaptiveCardProblems(card.attachments[0].content)).toEqual([]);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  },
);
