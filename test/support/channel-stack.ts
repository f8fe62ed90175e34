import { createServer, type Server } from 'node:http';
import { createLocalJWKSet } from 'jose';
import { createBuiltInChannel } from '../../src/admin/channel/built-in-channel.ts';
import { pageNavigation } from '../../src/admin/page-navigation.ts';
import { sharedPageFiles } from '../../src/admin/shared-page-files.ts';
import type { Alert, Notification } from '../../src/alerts/alert.ts';
import { ActionLog } from '../../src/alerts/callbacks/action-log.ts';
import { createActionSigner } from '../../src/alerts/callbacks/action-ticket.ts';
import { CALLBACK_PATH, CallbackHandler } from '../../src/alerts/callbacks/callback-handler.ts';
import { callbackSecret, UsedTickets } from '../../src/alerts/callbacks/used-tickets.ts';
import type { CardPayload, SignAction } from '../../src/alerts/card/card.ts';
import { matcherOf, withSilence } from '../../src/alerts/silences/silence.ts';
import { Silences } from '../../src/alerts/silences/silences.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { startAdminServer } from './admin-server.ts';
import { memoryState } from './memory-state.ts';

/** The built-in channel and the callbacks as the default start runs them, over alerts that a test sets. */
export interface ChannelStack {
  /** Such as `http://127.0.0.1:9090`. */
  readonly adminUrl: string;
  readonly webhookUrl: string;
  readonly callbackUrl: string;
  readonly signAction: SignAction;
  readonly silences: Silences;
  readonly alerts: Map<string, Alert>;
  close(): Promise<void>;
}

/** `render` writes the cards that come back from buttons; it is given the stack, for links and signatures. */
export async function startChannelStack(
  render: (notification: Notification, stack: ChannelStack) => CardPayload,
): Promise<ChannelStack> {
  const clock = systemClock;
  const logger = silentLogger();
  const database = memoryState();
  const silences = new Silences(database, clock);
  const alerts = new Map<string, Alert>();
  const built = await createBuiltInChannel(clock);
  const secret = callbackSecret(database);
  const { issuer, audience, appId, subject, keys } = built.issuer;
  const find = (id: string) => {
    const alert = alerts.get(id);
    return alert && withSilence(alert, silences.active());
  };
  const handler = new CallbackHandler({
    bearer: {
      ...{ issuer, audience, clockToleranceS: 60 },
      keys: createLocalJWKSet(keys),
      appIds: [appId],
      allowedSubjects: new Map([[subject, 'you']]),
    },
    secret,
    tickets: new UsedTickets(database, clock),
    acts: new ActionLog(database),
    operations: {
      find,
      acknowledge: (id, by) => {
        const alert = find(id);
        if (!alert) return { kind: 'not-firing' };
        alerts.set(id, { ...alert, acknowledgedBy: by });
        return { kind: 'acknowledged' };
      },
      silence: (alert, untilMs, by, why) => void silences.add({ ...matcherOf(alert), untilMs, by, why }),
      unsilence: alert => silences.removeMatching(alert).length,
    },
    render: notification => render(notification, stack),
    ...{ clock, logger, metrics: new Metrics() },
  });
  const callbacks = createServer(handler.handle);
  const callbackOrigin = `http://127.0.0.1:${await listen(callbacks)}`;
  const admin = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger },
    routes: [
      ...sharedPageFiles(),
      ...built.routes(callbackOrigin, pageNavigation({ hasChannel: true, needsToken: false })),
    ],
  });
  const adminUrl = `http://127.0.0.1:${admin.port}`;
  const stack: ChannelStack = {
    ...{ adminUrl, silences, alerts },
    webhookUrl: adminUrl + built.webhookPath,
    callbackUrl: callbackOrigin + CALLBACK_PATH,
    signAction: createActionSigner({ secret, clock }),
    async close() {
      built.close();
      callbacks.closeAllConnections();
      callbacks.close();
      await admin.close();
    },
  };
  return stack;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return address.port;
}
