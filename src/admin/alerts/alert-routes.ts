import { z } from 'zod';
import type { Alert, Notification } from '../../alerts/alert.ts';
import type { LoggedAction } from '../../alerts/callbacks/action-log.ts';
import type { WebhookStatus } from '../../alerts/delivery/webhook-sender.ts';
import { exampleAlert, exampleNotification } from '../../alerts/example-alert.ts';
import { alertNames } from '../../alerts/rules/rule-description.ts';
import type { Silence } from '../../alerts/silences/silence.ts';
import type { Clock } from '../../base/clock.ts';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { readJson, sendJson } from '../json.ts';

export interface AlertRoutesOptions {
  readonly clock: Clock;
  /** Pending and firing alerts, then recently resolved ones. */
  readonly alerts: () => readonly Alert[];
  readonly silences: () => readonly Silence[];
  readonly webhooks: () => readonly WebhookStatus[];
  /** Actions taken with buttons, newest first. */
  readonly acts: () => readonly LoggedAction[];
  readonly notify: (notification: Notification) => void;
}

const testBody = z.strictObject({
  rule: z.enum([...alertNames], { error: `one of ${alertNames.join(', ')}` }).default('backendErrors'),
});

/** `GET /api/alerts`: alerts, silences and actions. `POST /api/alerts/test`: posts a test card to every webhook. */
export function alertRoutes(options: AlertRoutesOptions): readonly AdminRoute[] {
  const { clock, alerts, silences, webhooks, acts, notify } = options;
  return [
    {
      method: 'GET',
      path: '/api/alerts',
      handle: (_request, response) =>
        sendJson(response, 200, {
          alerts: alerts().map(alertReport),
          silences: silences().map(silenceReport),
          webhooks: webhooks().map(webhookReport),
          acts: acts().map(({ atMs, ...act }) => ({ at: iso(atMs), ...act })),
        }),
    },
    {
      method: 'POST',
      path: '/api/alerts/test',
      async handle(request, response) {
        const { rule } = await readJson(request, testBody);
        const nowMs = clock.nowMs();
        const alert = exampleAlert(rule, nowMs);
        if (!alert) throw new AdminError(400, 'UNKNOWN_RULE', `there is no rule ${rule}`);
        notify(exampleNotification(alert, 'test', nowMs));
        sendJson(response, 202, { rule, webhooks: webhooks().map(({ name }) => name) });
      },
    },
  ];
}

/** A silence in readable form: times in RFC 3339. */
export function silenceReport({ untilMs, createdAtMs, ...silence }: Silence): object {
  return { ...silence, until: iso(untilMs), createdAt: iso(createdAtMs) };
}

function alertReport({ startedAtMs, endedAtMs, silencedUntilMs, ...alert }: Alert): object {
  return {
    ...alert,
    startedAt: iso(startedAtMs),
    endedAt: iso(endedAtMs),
    silencedUntil: iso(silencedUntilMs),
  };
}

function webhookReport({ oldestWaitingSinceMs, lastDeliveredAtMs, ...webhook }: WebhookStatus): object {
  return {
    ...webhook,
    oldestWaitingSince: iso(oldestWaitingSinceMs),
    lastDeliveredAt: iso(lastDeliveredAtMs),
  };
}

/** JSON leaves out undefined values. */
function iso(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
