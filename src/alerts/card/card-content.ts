import type { Alert, Notification, Severity } from '../alert.ts';
import { describeRule } from '../rules/rule-description.ts';
import type { CardLinks } from './card.ts';
import { type CardButton, chooseButtons } from './card-buttons.ts';
import { type ContentSection, sectionsOf } from './content-sections.ts';
import type { Detail } from './detail.ts';
import { cut, type Markdown, md, type PlainText, plain } from './markdown.ts';
import { type Tone, toneOf } from './tone.ts';

/** The content of a card, independent of its form. */
export interface CardContent {
  readonly tone: Tone;
  readonly title: Markdown;
  /** The text of notifications on phones. */
  readonly summary: PlainText;
  readonly advice?: Markdown;
  readonly sections: readonly ContentSection[];
  /** The most useful first; a card shows as many as its form supports. */
  readonly buttons: readonly CardButton[];
  readonly images: boolean;
}

const SUMMARY_CHARACTERS = 200;
const TITLE_CHARACTERS = 100;
const severityWords: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Notice',
};

/** Builds the content of a notification's card with the requested level of detail. */
export function contentOf(notification: Notification, links: CardLinks, detail: Detail): CardContent {
  const { alerts, kind } = notification;
  const tone = toneOf(notification);
  const title = titleOf(notification);
  const shown = alerts.slice(0, detail.alerts);
  const sections = sectionsOf(notification, links, detail);
  const [first] = alerts;
  const advice = first && kind !== 'digest' && tone !== 'resolved' ? describeRule(first.rule).advice : '';
  return {
    ...{ tone, sections, images: detail.images },
    title: md`${cut(title, TITLE_CHARACTERS)}`,
    summary: plain(first && kind !== 'digest' ? `${title}. ${first.summary}` : title, SUMMARY_CHARACTERS),
    ...(detail.advice && advice ? { advice: md`${advice}` } : {}),
    buttons: chooseButtons(notification, shown, detail.actions ? links : withoutActions(links)),
  };
}

/** A few words: the kind of news, the subject, the number of alerts. */
function titleOf({ kind, alerts, severity }: Notification): string {
  const [first] = alerts;
  if (kind === 'digest') {
    const isTest = alerts.every(alert => alert.isTest);
    return `${isTest ? 'Test: ' : ''}${alerts.length} alerts in one card`;
  }
  // a queued card may be about a rule that only an older version had, with any name
  const title = describeRule(first?.rule ?? '').title.trim() || 'Notice';
  const counted = alerts.length > 1 ? `${title} (${alerts.length})` : title;
  if (kind === 'notice') return counted;
  return `${newsWord(kind, severity, alerts)}: ${counted}`;
}

function newsWord(kind: Notification['kind'], severity: Severity, alerts: readonly Alert[]): string {
  if (kind === 'test') return 'Test';
  if (kind === 'resolved') return 'Resolved';
  if (alerts.every(({ silencedUntilMs }) => silencedUntilMs !== undefined)) return 'Silenced';
  if (alerts.every(({ acknowledgedBy }) => acknowledgedBy !== undefined)) return 'Acknowledged';
  return kind === 'repeat' ? `Still ${severityWords[severity].toLowerCase()}` : severityWords[severity];
}

/** The links for a form without actions. */
export function withoutActions({ callbacks: _, ...pages }: CardLinks): CardLinks {
  return pages;
}
