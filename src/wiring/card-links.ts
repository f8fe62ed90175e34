/** Part of the supervisor's composition root: where the links and buttons of cards lead. */
import { hostname } from 'node:os';
import { CALLBACK_PATH } from '../alerts/callbacks/callback-handler.ts';
import type { CardLinks, SignAction } from '../alerts/card/card.ts';
import { objectPage } from '../alerts/card/object-page.ts';
import type { AlertConfig } from '../config/gateway-config.ts';

interface CardTargets {
  /** Such as `http://127.0.0.1:9090`. */
  readonly adminUrl: string;
  /** The public origin of the callback endpoint; undefined without one: cards have no buttons then. */
  readonly callbackOrigin: string | undefined;
  /** Whether cards have a button that restores archived objects. */
  readonly canRestore: boolean;
  readonly signAction: SignAction;
}

/** Links to the configured pages; by default to those of the admin port. */
export function cardLinks(
  { source = hostname(), statusPage, runbook }: AlertConfig,
  { adminUrl, callbackOrigin, canRestore, signAction }: CardTargets,
): CardLinks {
  const statusPageUrl = statusPage ?? `${adminUrl}/`;
  return {
    source,
    statusPageUrl,
    runbookUrl: rule => runbook?.replaceAll('{rule}', rule) ?? new URL(`runbook#${rule}`, statusPageUrl).href,
    objectUrl: object => new URL(objectPage(object), statusPageUrl).href,
    ...(callbackOrigin === undefined
      ? {}
      : { callbacks: { url: callbackOrigin + CALLBACK_PATH, signAction, restore: canRestore } }),
  };
}
