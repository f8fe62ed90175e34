import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { AdminRoute } from '../admin-route.ts';
import { Channel } from './channel.ts';
import { channelRoutes } from './channel-routes.ts';
import { LiveMessages } from './live-messages.ts';
import { createLocalIssuer, type LocalIssuer } from './local-issuer.ts';

/** The chat service of the default start. */
export interface BuiltInChannel {
  readonly channel: Channel;
  /** Path of its incoming webhook on the admin port; made anew at each start, and as secret as any webhook. */
  readonly webhookPath: string;
  /** Mints the tokens with which its buttons call back: what the callbacks have to trust. */
  readonly issuer: LocalIssuer;
  /** What the admin port serves for it. `callbackOrigin` is where the callbacks listen, such as `http://127.0.0.1:8081`. */
  routes(callbackOrigin: string | undefined): readonly AdminRoute[];
  /** Ends the streams of open pages. */
  close(): void;
}

const localIdentity = {
  issuer: 'tidegate:built-in-channel',
  audience: 'tidegate:card-callbacks',
  appId: 'tidegate:channel-page',
  subject: 'local-operator',
};

/** Makes the channel with a key pair of its own. */
export async function createBuiltInChannel(clock: Clock): Promise<BuiltInChannel> {
  const channel = new Channel(clock);
  const live = new LiveMessages(channel, clock);
  const webhookPath = `/channel/webhook/${randomUUID()}`;
  const issuer = await createLocalIssuer({ ...localIdentity, clock });
  return {
    channel,
    webhookPath,
    issuer,
    routes(callbackOrigin) {
      const callbacks = callbackOrigin === undefined ? undefined : { issuer, origin: callbackOrigin };
      return channelRoutes({ channel, live, webhookPath, callbacks });
    },
    close: () => live.close(),
  };
}
