/** Part of the supervisor's composition root: the endpoint for card buttons and who may press them. */
import { createLocalJWKSet } from 'jose';
import type { BuiltInChannel } from '../admin/channel/built-in-channel.ts';
import { type BearerOptions, remoteKeys } from '../alerts/callbacks/bearer-token.ts';
import { CallbackHandler, type CallbackHandlerOptions } from '../alerts/callbacks/callback-handler.ts';
import { formatAddress } from '../base/listen-error.ts';
import type { AlertConfig } from '../config/gateway-config.ts';
import { claimPort } from '../server/claim-address.ts';
import type { ClientLimits } from '../server/client-limits.ts';
import { type HttpListener, listenHttp } from '../server/http-listener.ts';

const LOOPBACK = '127.0.0.1';

/** Where the endpoint listens, its public origin, and the tokens that it accepts. */
export interface CallbackEndpoint {
  readonly host: string;
  readonly port: number;
  /** Such as `https://gateway.example.test`. */
  readonly origin: string;
  readonly bearer: BearerOptions;
}

/**
 * The endpoint for button presses, a port of its own: the configured one, or for the built-in channel a free one on
 * loopback. Undefined when there is neither.
 *
 * @throws ListenError when no port is free
 */
export async function callbackEndpoint(
  configured: AlertConfig['callbacks'],
  channel: BuiltInChannel | undefined,
): Promise<CallbackEndpoint | undefined> {
  if (configured) return configuredEndpoint(configured);
  return channel && builtInEndpoint(channel, await claimPort(LOOPBACK, 0));
}

/** Listens for button presses. @throws ListenError */
export function startCallbacks(
  { host, port, bearer }: CallbackEndpoint,
  limits: ClientLimits,
  options: Omit<CallbackHandlerOptions, 'bearer'>,
): Promise<HttpListener> {
  const { handle, takesBody } = new CallbackHandler({ ...options, bearer });
  const addresses = [{ kind: 'tcp' as const, host, port }];
  return listenHttp({ addresses, reusePort: false, handle, takesBody, logger: options.logger, limits });
}

function configuredEndpoint({
  host,
  port,
  url,
  token,
}: NonNullable<AlertConfig['callbacks']>): CallbackEndpoint {
  const { issuer, audience = url, keys, appIds, subjects, clockToleranceMs } = token;
  return {
    ...{ host, port, origin: url },
    bearer: {
      ...{ issuer, audience, appIds },
      keys: remoteKeys(keys),
      allowedSubjects: new Map(Object.entries(subjects)),
      clockToleranceS: clockToleranceMs / 1_000,
    },
  };
}

function builtInEndpoint(
  { issuer: { issuer, audience, appId, subject, keys } }: BuiltInChannel,
  port: number,
): CallbackEndpoint {
  return {
    ...{ host: LOOPBACK, port, origin: `http://${formatAddress(LOOPBACK, port)}` },
    bearer: {
      ...{ issuer, audience, clockToleranceS: 60 },
      keys: createLocalJWKSet(keys),
      appIds: [appId],
      allowedSubjects: new Map([[subject, 'the operator at the channel page']]),
    },
  };
}
