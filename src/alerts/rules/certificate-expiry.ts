import { describeDuration } from '../../base/time-text.js';
import { certificateExpirySeconds } from '../measurement/measure.ts';
import type { Series } from '../measurement/series.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

export interface CertificateExpiryOptions extends ConditionOptions {
  /** Fires when the certificate expires within this time. */
  readonly remainingMs: number;
}

const DAY_MS = 86_400_000;

/** A certificate of the listener has expired or is about to (docs/cards.md §4, 18). */
export const certificateExpiry: RuleDefinition<CertificateExpiryOptions> = {
  name: 'certificateExpiry',
  title: 'A TLS certificate expires',
  advice:
    'Once it has expired, clients refuse to connect. Put a new certificate and key in place of the files; they are read again within a few seconds, without a restart.',
  measures: [certificateExpirySeconds],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'critical', remainingMs: 3 * DAY_MS, forMs: 0, clearForMs: 60_000 },
  evaluate: ({ history }, { remainingMs }) =>
    history
      .current(certificateExpirySeconds)
      .map(each =>
        isWithin(each, remainingMs) ? expiryBreach(each) : { kind: 'clear', labels: each.labels },
      ),
  example: () => expiryBreach({ labels: { file: '/etc/tidegate/cert.pem' }, value: 2 * 86_400 }),
};

export function isWithin({ value }: Series, remainingMs: number): boolean {
  return value * 1_000 < remainingMs;
}

export function expiryBreach({ labels, value }: Series): Breach {
  const distance = describeDuration(Math.abs(Math.round(value)) * 1_000);
  const summary =
    value > 0
      ? `The certificate in ${labels.file} expires in ${distance}.`
      : `The certificate in ${labels.file} has expired ${distance} ago.`;
  return { kind: 'breach', labels, summary, facts: [{ name: 'File', value: labels.file ?? '' }] };
}
