import type { AlertOptions } from '../../alerts/rules/rule-settings.ts';
import type { AdminRoute } from '../admin-route.ts';
import { documentRoute } from '../page-document.ts';
import { ownPageFiles } from '../page-file.ts';
import type { PageLink } from '../page-navigation.ts';
import { type RunbookAccess, runbookBody } from './runbook-body.ts';

interface RunbookRoutesOptions extends RunbookAccess {
  readonly rules: () => AlertOptions;
  readonly navigation: readonly PageLink[];
}

/**
 * `GET /runbook`: what each rule means, what to run, and the current settings; cards link to `#RULE`. It can be read without
 * the token. Which alerts fire is data of the gateway: the page asks `/api/alerts` for it.
 */
export function runbookRoutes({ rules, navigation, ...access }: RunbookRoutesOptions): readonly AdminRoute[] {
  return [
    documentRoute({
      ...{ path: '/runbook', title: 'Runbook · Tidegate', navigation },
      styles: ['/alerts/page/runbook.css'],
      script: '/alerts/page/runbook.js',
      body: () => runbookBody(rules(), access),
    }),
    ...ownPageFiles('alerts/page/runbook.css', 'alerts/page/runbook.js'),
  ];
}
