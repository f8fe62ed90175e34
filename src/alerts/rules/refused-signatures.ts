import { describeDuration } from '../../base/time-text.js';
import type { Labels } from '../alert.ts';
import type { History } from '../measurement/history.ts';
import { errorResponsesBySource, requests } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount, formatShare } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface RefusedSignaturesOptions extends ConditionOptions {
  /** The allowed share of refused requests, 0 to 1. */
  readonly threshold: number;
  /** The minimum multiple of yesterday's share at this hour, if that is known. */
  readonly factor: number;
  readonly windowMs: number;
  /** With fewer requests within the window, nothing is concluded. */
  readonly minRequests: number;
}

interface Refusals {
  readonly refused: number;
  readonly all: number;
}

const HOUR_MS = 3_600_000;

/** The codes for invalid credentials or missing permissions (docs/semantics.md, section 12). */
const refusals = [
  'AccessDenied',
  'AuthorizationHeaderMalformed',
  'AuthorizationQueryParametersError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
];

/** Far more requests than usual are refused: a broken client, a rotated key, or an attack (docs/cards.md §4, 14). */
export const refusedSignatures: RuleDefinition<RefusedSignaturesOptions> = {
  name: 'refusedSignatures',
  title: 'Many requests are refused for their signature or rights',
  advice:
    'The access log names the access key and the address. One key: probably a client with an old secret. Many keys: somebody may be guessing.',
  measures: [errorResponsesBySource, requests],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'warning',
    threshold: 0.05,
    factor: 5,
    windowMs: 5 * 60_000,
    minRequests: 100,
    forMs: 5 * 60_000,
    clearForMs: 5 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const now = countRefusals(history, options.windowMs, 0);
    if (now.all < options.minRequests) return [{ kind: 'no-data', labels: {} }];
    const usual = yesterday(history, options);
    const allowed = Math.max(options.threshold, usual * options.factor);
    return [now.refused > allowed * now.all ? breach(now, allowed, options) : { kind: 'clear', labels: {} }];
  },
  example: options => breach({ refused: 211, all: 1_630 }, options.threshold, options),
};

/** The share at this hour a day ago; 0 when there are too few measurements. */
function yesterday(history: History, { minRequests }: RefusedSignaturesOptions): number {
  const { refused, all } = countRefusals(history, HOUR_MS, 23.5 * HOUR_MS);
  return all < minRequests ? 0 : refused / all;
}

function countRefusals(history: History, windowMs: number, agoMs: number): Refusals {
  return {
    refused: total(history.increase(errorResponsesBySource, windowMs, agoMs).series, isRefusal),
    all: total(history.increase(requests, windowMs, agoMs).series),
  };
}

function isRefusal({ code = '', by }: Labels): boolean {
  return by === 'gateway' && refusals.includes(code);
}

function breach({ refused, all }: Refusals, allowed: number, options: RefusedSignaturesOptions): Breach {
  const share = formatShare(refused / all);
  return {
    kind: 'breach',
    labels: {},
    summary: `${share} of all requests were refused for their signature or their rights.`,
    facts: [
      {
        name: 'Refused',
        value: `${formatCount(refused)} of ${formatCount(all)} in ${describeDuration(options.windowMs)}`,
      },
      { name: 'Threshold', value: formatShare(allowed) },
    ],
  };
}
