import { z } from 'zod';
import type { Alert, Notification } from '../../alerts/alert.ts';
import type { LoggedAction } from '../../alerts/callbacks/action-log.ts';
import type { NamedDeadLetter } from '../../alerts/delivery/card-delivery.ts';
import type { WebhookStatus } from '../../alerts/delivery/webhook-sender.ts';
import type { AcknowledgeOutcome } from '../../alerts/engine/alert-engine.ts';
import { exampleAlert, exampleNotification } from '../../alerts/example-alert.ts';
import { alertNames } from '../../alerts/rules/rule-description.ts';
import type { Silence } from '../../alerts/silences/silence.ts';
import type { Clock } from '../../base/clock.ts';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { readJson, sendJson } from '../json.ts';

interface AlertRoutesOptions {
  readonly clock: Clock;
  /** Pending and firing alerts, then recently resolved ones. */
  readonly alerts: () => readonly Alert[];
  readonly silences: () => readonly Silence[];
  readonly webhooks: () => readonly WebhookStatus[];
  /** The latest cards that no webhook takes, latest first. */
  readonly deadLetters: () => readonly NamedDeadLetter[];
  /** Queues a dead letter again, or all of them; returns how many. */
  readonly sendAgain: (id: number | 'all') => number;
  readonly acknowledge: (alertId: string, by: string) => AcknowledgeOutcome;
  /** Actions taken with buttons, newest first. */
  readonly acts: () => readonly LoggedAction[];
  readonly notify: (notification: Notification) => void;
}

const testBody = z.strictObject({
  rule: z.enum([...alertNames], { error: `one of ${alertNames.join(', ')}` }).default('backendErrors'),
});

const resendBody = z.union([z.strictObject({ id: z.int() }), z.strictObject({ all: z.literal(true) })], {
  error: '{"id": the number of a dead letter} or {"all": true}',
});

const acknowledgeBody = z.strictObject({
  id: z.string().min(1).max(200),
  by: z.string().trim().min(1).max(200),
});

/**
 * `GET /api/alerts`: alerts, silences, dead letters and actions. `POST /api/alerts/acknowledge`: a firing alert is not
 * repeated any more. `POST /api/alerts/test`: posts a test card to every webhook. `POST /api/alerts/resend`: queues dead
 * letters again.
 */
export function alertRoutes(options: AlertRoutesOptions): readonly AdminRoute[] {
  const { clock, alerts, silences, webhooks, deadLetters, sendAgain, acknowledge, acts, notify } = options;
  return [
    {
      method: 'GET',
      path: '/api/alerts',
      handle: (_request, response) =>
        sendJson(response, 200, {
          alerts: alerts().map(alertReport),
          silences: silences().map(silenceReport),
          webhooks: webhooks().map(webhookReport),
          deadLetters: deadLetters().map(deadLetterReport),
          acts: acts().map(({ atMs, ...act }) => ({ at: iso(atMs), ...act })),
        }),
    },
    {
      method: 'POST',
      path: '/api/alerts/acknowledge',
      async handle(request, response) {
        const { id, by } = await readJson(request, acknowledgeBody);
        const outcome = acknowledge(id, by);
        if (outcome.kind === 'not-firing')
          throw new AdminError(404, 'NOT_FIRING', 'no alert with this id is firing; it may be over');
        sendJson(response, 200, alertReport(outcome.alert));
      },
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
    {
      method: 'POST',
      path: '/api/alerts/resend',
      async handle(request, response) {
        const body = await readJson(request, resendBody);
        const id = 'id' in body ? body.id : 'all';
        const cards = sendAgain(id);
        if (cards === 0 && id !== 'all')
          throw new AdminError(404, 'NO_DEAD_LETTER', `there is no dead letter ${id} that a webhook takes`);
        sendJson(response, 202, { cards });
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

function deadLetterReport(letter: NamedDeadLetter): object {
  const { id, webhook, notification, attempts, reason, queuedAtMs, diedAtMs } = letter;
  const { kind, severity, alerts } = notification;
  return {
    ...{ id, webhook, kind, severity, attempts, reason },
    alerts: alerts.map(({ rule, summary }) => ({ rule, summary })),
    queuedAt: iso(queuedAtMs),
    diedAt: iso(diedAtMs),
  };
}

/** JSON leaves out undefined values. */
function iso(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
