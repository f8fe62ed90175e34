import { certificateExpirySeconds, certificateUsable } from '../measurement/measure.ts';
import { type CertificateExpiryOptions, expiryBreach, isWithin } from './certificate-expiry.ts';
import type { Breach, RuleDefinition } from './rule.ts';

const DAY_MS = 86_400_000;

/** A certificate of the listener was not renewed in time, or its new files cannot be used (docs/cards.md §4, 18). */
export const certificateRenewal: RuleDefinition<CertificateExpiryOptions> = {
  name: 'certificateRenewal',
  title: 'A TLS certificate was not renewed',
  advice:
    'The one in use goes on until it expires. Look at what renews it; where its files have changed but cannot be used, the log says why, and repaired files are read within a few seconds.',
  measures: [certificateExpirySeconds, certificateUsable],
  inhibitedBy: ['certificateExpiry'],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', remainingMs: 20 * DAY_MS, forMs: 60_000, clearForMs: 60_000 },
  evaluate: ({ history }, { remainingMs }) => {
    const usable = history.current(certificateUsable);
    return history.current(certificateExpirySeconds).map(each => {
      const { labels } = each;
      if (usable.some(({ labels: { file }, value }) => file === labels.file && value === 0))
        return unusable(labels);
      return isWithin(each, remainingMs) ? expiryBreach(each) : { kind: 'clear', labels };
    });
  },
  example: () => expiryBreach({ labels: { file: '/etc/tidegate/cert.pem' }, value: 15 * 86_400 }),
};

function unusable(labels: Breach['labels']): Breach {
  return {
    kind: 'breach',
    labels,
    summary: `The files of the certificate in ${labels.file} have changed and cannot be used; the one read before is still in use.`,
    facts: [{ name: 'File', value: labels.file ?? '' }],
  };
}
