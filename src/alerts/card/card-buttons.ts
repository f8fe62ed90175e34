import type { Alert, Notification, ObjectSubject } from '../alert.ts';
import { alertNames } from '../rules/rule-description.ts';
import type { CallbackLinks, CardAction, CardLinks } from './card.ts';
import { plain } from './markdown.ts';

/** A button, independent of the card's form. Forms that cannot post leave out all but `open`. */
export type CardButton =
  | { readonly kind: 'open'; readonly name: string; readonly url: string }
  /** Posts at once. */
  | { readonly kind: 'post'; readonly name: string; readonly url: string; readonly token: string }
  /** Asks for input first. */
  | {
      readonly kind: 'silence';
      readonly name: string;
      readonly url: string;
      readonly token: string;
    }
  | {
      readonly kind: 'restore';
      readonly name: string;
      readonly url: string;
      readonly token: string;
      /** The names of the objects to choose from; one for no choice. */
      readonly objects: readonly string[];
    };

/** The number of objects that a restore button offers. */
const OFFERED_OBJECTS = 5;
/** Keys have up to 1024 bytes; a button's token holds those that it offers. */
const OFFERED_KEY_CHARACTERS = 1_500;
const BUTTON_CHARACTERS = 60;
const CHOICE_CHARACTERS = 120;

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
  const button = (kind: 'post' | 'silence', name: string, action: CardAction): CardButton => ({
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
  const objects = restore ? offeredObjects(alerts) : [];
  return [
    ...(isAcknowledged ? [] : [button('post', `Acknowledge${scope}`, { action: 'acknowledge', alertIds })]),
    button('silence', `Silence${scope}…`, { action: 'silence', alertIds }),
    ...(objects.length > 0
      ? [restoreButton(objects, url, signAction({ action: 'restore', alertIds, objects }))]
      : []),
  ];
}

function restoreButton(objects: readonly ObjectSubject[], url: string, token: string): CardButton {
  const [first = '', ...others] = objects.map(nameOf);
  const what = others.length > 0 ? 'an archived object' : first;
  return {
    ...{ kind: 'restore', url, token },
    name: `Restore ${plain(what, BUTTON_CHARACTERS)}…`,
    objects: [first, ...others].map(name => plain(name, CHOICE_CHARACTERS)),
  };
}

/** The objects of the alerts, each once, as many as a token can hold. */
function offeredObjects(alerts: readonly Alert[]): readonly ObjectSubject[] {
  const byName = new Map(
    alerts.flatMap(({ subjects = [] }) => subjects).map(object => [nameOf(object), object]),
  );
  let characters = 0;
  return [...byName.values()].slice(0, OFFERED_OBJECTS).filter(({ key }, index) => {
    characters += key.length;
    return index === 0 || characters <= OFFERED_KEY_CHARACTERS;
  });
}

function nameOf({ bucket, key, versionId }: ObjectSubject): string {
  return `${bucket}/${key}${versionId === undefined ? '' : `, version ${versionId}`}`;
}
