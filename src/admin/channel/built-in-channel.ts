import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { AdminRoute } from '../admin-route.ts';
import type { PageLink } from '../page-navigation.ts';
import { Channel } from './channel.ts';
import { channelRoutes } from './channel-routes.ts';
import { LiveMessages } from './live-messages.ts';
import { createLocalIssuer, type LocalIssuer } from './local-issuer.ts';

/** The chat service that runs when no configuration is given. */
export interface BuiltInChannel {
  readonly channel: Channel;
  /** The path of its incoming webhook on the admin port: random at each start, and as secret as any webhook URL. */
  readonly webhookPath: string;
  /** Issues the tokens for the callbacks of its buttons; the callback server must trust it. */
  readonly issuer: LocalIssuer;
  /**
   * The routes that the admin port serves for it. `callbackOrigin` is the address of the callback server, such as
   * `http://127.0.0.1:8081`.
   */
  routes(callbackOrigin: string | undefined, navigation: readonly PageLink[]): readonly AdminRoute[];
  /** Ends the event streams of open pages. */
  close(): void;
}

const localIdentity = {
  issuer: 'tidegate:built-in-channel',
  audience: 'tidegate:card-callbacks',
  appId: 'tidegate:channel-page',
  subject: 'local-operator',
};

/** Creates the channel with a new key pair. */
export async function createBuiltInChannel(clock: Clock): Promise<BuiltInChannel> {
  const channel = new Channel(clock);
  const live = new LiveMessages(channel, clock);
  const webhookPath = `/channel/webhook/${randomUUID()}`;
  const issuer = await createLocalIssuer({ ...localIdentity, clock });
  return {
    channel,
    webhookPath,
    issuer,
    routes(callbackOrigin, navigation) {
      const callbacks = callbackOrigin === undefined ? undefined : { issuer, origin: callbackOrigin };
      return channelRoutes({ channel, live, webhookPath, callbacks, navigation });
    },
    close: () => live.close(),
  };
}
