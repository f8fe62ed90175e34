/** What a figure has to be. */
export type Target =
  | { readonly kind: 'at most'; readonly limit: number }
  | { readonly kind: 'exactly'; readonly value: number }
  | { readonly kind: 'orientation' };

export type Verdict = 'reached' | 'missed' | 'orientation';

/** One measured figure beside what it has to be. */
export interface Finding {
  readonly figure: string;
  readonly measured: number;
  readonly unit: string;
  readonly target: Target;
}

export function atMost(figure: string, measured: number, limit: number, unit = ''): Finding {
  return { figure, measured, unit, target: { kind: 'at most', limit } };
}

export function exactly(figure: string, measured: number, value: number, unit = ''): Finding {
  return { figure, measured, unit, target: { kind: 'exactly', value } };
}

export function orientation(figure: string, measured: number, unit = ''): Finding {
  return { figure, measured, unit, target: { kind: 'orientation' } };
}

export function verdictOf({ measured, target }: Finding): Verdict {
  switch (target.kind) {
    case 'at most':
      return measured <= target.limit ? 'reached' : 'missed';
    case 'exactly':
      return measured === target.value ? 'reached' : 'missed';
    case 'orientation':
      return 'orientation';
  }
}

/** Findings as a table with one line each. */
export function tableOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ figure }) => figure.length));
  const lines = findings.map(finding => {
    const measured = `${written(finding.measured)} ${finding.unit}`.trimEnd();
    const verdict = verdictOf(finding);
    const wanted = targetText(finding.target);
    return `${finding.figure.padEnd(width)}  ${measured.padStart(18)}  ${wanted.padEnd(22)} ${verdict}`;
  });
  return `${lines.join('\n')}\n`;
}

function targetText(target: Target): string {
  if (target.kind === 'at most') return `at most ${written(target.limit)}`;
  return target.kind === 'exactly' ? `exactly ${written(target.value)}` : '';
}

function written(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 3 : 1);
}
