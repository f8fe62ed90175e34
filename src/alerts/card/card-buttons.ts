import type { Alert, Notification } from '../alert.ts';
import { alertNames } from '../rules/rule-description.ts';
import type { CallbackLinks, CardAction, CardLinks } from './card.ts';

/** A button, independent of the card's form. Forms that cannot post leave out all but `open`. */
export type CardButton =
  | { readonly kind: 'open'; readonly name: string; readonly url: string }
  /** Posts at once. */
  | { readonly kind: 'post'; readonly name: string; readonly url: string; readonly token: string }
  /** Asks for input first. */
  | {
      readonly kind: 'silence' | 'restore';
      readonly name: string;
      readonly url: string;
      readonly token: string;
    };

/** Buttons for actions on the `shown` alerts, then links. Resolved alerts and notices only get links. */
export function chooseButtons(
  notification: Notification,
  shown: readonly Alert[],
  links: CardLinks,
): readonly CardButton[] {
  const [first] = shown;
  const canAct =
    notification.kind === 'firing' || notification.kind === 'repeat' || notification.kind === 'test';
  const actions =
    canAct && links.callbacks
      ? actionButtons(shown, links.callbacks, notification.alerts.length > shown.length)
      : [];
  const { statusPageUrl, runbookUrl } = links;
  return [
    ...actions,
    ...(statusPageUrl === undefined
      ? []
      : [{ kind: 'open', name: 'Status page', url: statusPageUrl } as const]),
    ...(runbookUrl && first && notification.kind !== 'digest' && alertNames.includes(first.rule)
      ? [{ kind: 'open', name: 'Runbook', url: runbookUrl(first.rule) } as const]
      : []),
  ];
}

function actionButtons(
  alerts: readonly Alert[],
  { url, signAction, restore }: CallbackLinks,
  isPartial: boolean,
): readonly CardButton[] {
  const alertIds = alerts.map(({ id }) => id);
  const button = (
    kind: Exclude<CardButton['kind'], 'open'>,
    name: string,
    action: CardAction,
  ): CardButton => ({
    kind,
    name,
    url,
    token: signAction(action),
  });
  // a button acts on the alerts that the card shows; its name says so when these are not all
  const scope = isPartial ? ' these' : '';
  if (alerts.every(({ silencedUntilMs }) => silencedUntilMs !== undefined)) {
    return [button('post', `End the silence${scope && ' of these'}`, { action: 'unsilence', alertIds })];
  }
  const isAcknowledged = alerts.every(({ acknowledgedBy }) => acknowledgedBy !== undefined);
  const object = alerts.find(({ subject }) => subject !== undefined)?.subject;
  return [
    ...(isAcknowledged ? [] : [button('post', `Acknowledge${scope}`, { action: 'acknowledge', alertIds })]),
    button('silence', `Silence${scope}…`, { action: 'silence', alertIds }),
    ...(restore && object
      ? [button('restore', 'Restore from the archive…', { action: 'restore', alertIds, object })]
      : []),
  ];
}
