/** Part of the supervisor's composition root: the endpoint for card buttons and who may press them. */
import { createLocalJWKSet } from 'jose';
import type { BuiltInChannel } from '../admin/channel/built-in-channel.ts';
import { type BearerOptions, remoteKeys } from '../alerts/callbacks/bearer-token.ts';
import { CallbackHandler, type CallbackHandlerOptions } from '../alerts/callbacks/callback-handler.ts';
import { formatAddress } from '../base/listen-error.ts';
import type { AlertConfig, GatewayConfig } from '../config/gateway-config.ts';
import { type HttpListener, listenHttp } from '../server/http-listener.ts';

/** The running callback endpoint. */
export interface RunningCallbacks {
  /** Its public origin, such as `https://gateway.example.test`. */
  readonly origin: string;
  readonly listener: HttpListener;
}

/** The listening address and the accepted tokens. */
interface CallbackEndpoint {
  readonly host: string;
  readonly port: number;
  readonly origin: string | undefined;
  readonly bearer: BearerOptions;
}

/**
 * Listens for button presses on a separate port: the configured one, or for the built-in channel a free port on
 * loopback. Undefined when there is neither.
 *
 * @throws ListenError
 */
export async function startCallbacks(
  { alerts, limits }: Pick<GatewayConfig, 'alerts' | 'limits'>,
  channel: BuiltInChannel | undefined,
  options: Omit<CallbackHandlerOptions, 'bearer'>,
): Promise<RunningCallbacks | undefined> {
  const endpoint = alerts.callbacks
    ? configuredEndpoint(alerts.callbacks)
    : channel && builtInEndpoint(channel);
  if (!endpoint) return undefined;
  const { host, port, bearer, origin } = endpoint;
  const { handle } = new CallbackHandler({ ...options, bearer });
  const { logger } = options;
  const listener = await listenHttp({ host, port, reusePort: false, handle, logger, limits });
  return { listener, origin: origin ?? `http://${formatAddress(host, listener.port)}` };
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

function builtInEndpoint({
  issuer: { issuer, audience, appId, subject, keys },
}: BuiltInChannel): CallbackEndpoint {
  return {
    ...{ host: '127.0.0.1', port: 0, origin: undefined },
    bearer: {
      ...{ issuer, audience, clockToleranceS: 60 },
      keys: createLocalJWKSet(keys),
      appIds: [appId],
      allowedSubjects: new Map([[subject, 'the operator at the channel page']]),
    },
  };
}
