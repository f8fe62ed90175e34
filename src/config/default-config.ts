import type { Environment } from './environment.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { parseConfig } from './load-config.ts';

/** What runs when nobody configured anything: a store of its own with a sample bucket, readable by everybody. */
const DEFAULT_CONFIGURATION = `
listen: { port: "\${TIDEGATE_PORT:-8080}" }
admin: { port: "\${TIDEGATE_ADMIN_PORT:-9090}" }
state: { directory: "\${TIDEGATE_STATE:-./tidegate-state}" }
backends:
  demo: { type: embedded, directory: "\${TIDEGATE_DATA:-./tidegate-data}" }
buckets:
  sample:
    backend: demo
    access: public
    anonymous: [{ actions: [GetObject, ListBucket], keys: ["**", "!private/**"] }]
    customerKeys: { plainHttp: loopback }
clients:
  - accessKeyId: demo
    secretAccessKey: demo-secret
    allow: [{ buckets: [sample], keys: ["**"], actions: ["*"] }]
`;

/**
 * The configuration of a start without a file. Ports and directories may be moved by the environment.
 * @throws ConfigError when the environment asks for something impossible
 */
export function defaultConfig(environment: Environment): GatewayConfig {
  return parseConfig(DEFAULT_CONFIGURATION, environment, 'the default configuration');
}
