import { ConfigError } from './config-error.ts';
import { filesForDirectories } from './directory-checks.ts';
import type { Environment } from './environment.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { parseConfig } from './load-config.ts';
import { formatPath } from './problems.ts';

const SOURCE = 'the default configuration';

/** The configuration when there is no file: an embedded store with a public sample bucket. */
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
 * The configuration of a start without a file. Environment variables can change ports and directories.
 * @throws ConfigError when the environment holds an invalid value
 */
export function defaultConfig(environment: Environment): GatewayConfig {
  const config = parseConfig(DEFAULT_CONFIGURATION, environment, SOURCE);
  const problems = Array.from(
    filesForDirectories(config),
    ({ path, reason }) => `${formatPath(path)} ${reason}`,
  );
  if (problems.length > 0) throw new ConfigError(SOURCE, problems);
  return config;
}
