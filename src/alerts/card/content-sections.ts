import { describeDuration, formatMoment } from '../../base/time-text.js';
import type { Alert, Fact, Notification } from '../alert.ts';
import { describeRule } from '../rules/rule-description.ts';
import type { CardLinks } from './card.ts';
import type { Detail } from './detail.ts';
import { cut, type Markdown, markdownLink, md } from './markdown.ts';

/** An alert, a list of a digest, or a note about omitted content. */
export interface ContentSection {
  readonly heading: Markdown;
  readonly subtitle: Markdown;
  /** The most important facts. */
  readonly facts: readonly ContentFact[];
  /** Further measurements, actions taken, and identifiers. */
  readonly details: readonly ContentFact[];
}

export interface ContentFact {
  readonly name: Markdown;
  readonly value: Markdown;
}

/** The number of an alert's facts that are shown first. */
const LEADING_FACTS = 3;

/** Keys have up to 1024 bytes; longer links would leave no room for facts. */
const LINK_CHARACTERS = 600;

type SectionLinks = Pick<CardLinks, 'source' | 'objectUrl'>;

/** The sections of a notification's card. */
export function sectionsOf(
  notification: Notification,
  links: SectionLinks,
  detail: Detail,
): readonly ContentSection[] {
  return notification.kind === 'digest'
    ? digestSections(notification.alerts, links.source, detail)
    : alertSections(notification, links, detail);
}

function alertSections(
  { alerts, kind }: Notification,
  { source, objectUrl }: SectionLinks,
  detail: Detail,
): readonly ContentSection[] {
  const sections = alerts.slice(0, detail.alerts).map((alert, index): ContentSection => {
    const when = whenOf(alert, kind);
    const facts = alert.facts.slice(0, detail.facts).map(fact => contentFact(fact, detail, objectUrl));
    return {
      heading: outside(alert.summary, detail),
      subtitle: index === 0 ? md`${cut(source, detail.characters)} · ${when}` : md`${when}`,
      facts: facts.slice(0, LEADING_FACTS),
      details: [...facts.slice(LEADING_FACTS), ...detailsOf(alert).map(fact => contentFact(fact, detail))],
    };
  });
  const hidden = alerts.length - sections.length;
  const isCut = alerts.some(alert => alert.facts.length > detail.facts || isTooLong(alert, detail));
  return [...sections, ...noteOn(hidden, isCut)];
}

/** The start time, or the duration of a resolved alert: not of what it is about, which begins before and may go on. */
function whenOf({ startedAtMs, endedAtMs, state }: Alert, kind: Notification['kind']): string {
  if (kind === 'notice') return formatMoment(startedAtMs);
  if (state === 'resolved' && endedAtMs !== undefined) {
    return `the alert lasted ${describeDuration(endedAtMs - startedAtMs)}, until ${formatMoment(endedAtMs)}`;
  }
  return `since ${formatMoment(startedAtMs)}`;
}

function detailsOf(alert: Alert): readonly Fact[] {
  const { rule, acknowledgedBy, silencedUntilMs, silencedBy, silenceReason } = alert;
  const labels = Object.entries(alert.labels).map(([name, value]) => `${name}=${value}`);
  return [
    ...(acknowledgedBy === undefined ? [] : [{ name: 'Acknowledged by', value: acknowledgedBy }]),
    ...(silencedUntilMs === undefined
      ? []
      : [{ name: 'Silenced until', value: formatMoment(silencedUntilMs) }]),
    ...(silencedBy === undefined ? [] : [{ name: 'Silenced by', value: silencedBy }]),
    ...(silenceReason === undefined ? [] : [{ name: 'Reason', value: silenceReason }]),
    { name: 'Rule', value: rule },
    ...(labels.length > 0 ? [{ name: 'Labels', value: labels.join(', ') }] : []),
  ];
}

/** Lists of what fires, what is resolved and what is a test, with one line per alert. */
function digestSections(alerts: readonly Alert[], source: string, detail: Detail): readonly ContentSection[] {
  const over = alerts.filter(({ state }) => state === 'resolved');
  const tests = alerts.filter(({ isTest }) => isTest);
  const open = alerts.filter(({ state, isTest }) => state !== 'resolved' && !isTest);
  const sections = [
    { heading: `${open.length} to look at`, listed: open },
    { heading: `${over.length} resolved`, listed: over },
    { heading: `${tests.length} made up, for a test`, listed: tests },
  ].filter(({ listed }) => listed.length > 0);
  const hidden = sections.reduce((sum, { listed }) => sum + Math.max(0, listed.length - detail.lines), 0);
  const lists = sections.map(
    ({ heading, listed }): ContentSection => ({
      heading: md`${heading}`,
      subtitle: md`${cut(source, detail.characters)} · told together, since the channel takes only so many cards`,
      facts: listed.slice(0, detail.lines).map(alert => contentFact(digestLine(alert), detail)),
      details: [],
    }),
  );
  const isCut = alerts.some(alert => isTooLong({ ...alert, facts: [] }, detail));
  return [...lists, ...noteOn(hidden, isCut)];
}

function digestLine({ rule, summary, state, startedAtMs, endedAtMs, isTest }: Alert): Fact {
  const title = `${isTest ? 'Test: ' : ''}${describeRule(rule).title}`;
  if (state !== 'resolved' || endedAtMs === undefined) return { name: title, value: summary };
  return { name: title, value: `${summary} The alert lasted ${describeDuration(endedAtMs - startedAtMs)}.` };
}

/** A note when the card does not show everything. */
function noteOn(hidden: number, isCut: boolean): readonly ContentSection[] {
  if (hidden === 0 && !isCut) return [];
  const heading = hidden > 0 ? `and ${hidden} more` : 'shortened';
  const subtitle = md`This card was too long; the status page has all of it.`;
  return [{ heading: md`${heading}`, subtitle, facts: [], details: [] }];
}

function isTooLong({ summary, facts }: Alert, { characters }: Detail): boolean {
  return [summary, ...facts.map(({ value }) => value)].some(text => text !== cut(text, characters));
}

function contentFact(
  { name, value, object }: Fact,
  detail: Detail,
  objectUrl?: CardLinks['objectUrl'],
): ContentFact {
  const url = object && detail.objectLinks ? objectUrl?.(object) : undefined;
  const isLinked = url !== undefined && url.length <= LINK_CHARACTERS;
  return {
    name: outside(name, detail),
    value: isLinked ? markdownLink(cut(value, detail.characters), url) : outside(value, detail),
  };
}

/** Text from outside, shortened if needed, with a placeholder when empty. */
function outside(text: string, { characters }: Detail): Markdown {
  return md`${cut(text.trim() || '(empty)', characters)}`;
}
