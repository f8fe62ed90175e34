import type { Command } from 'commander';
import { isFile } from '../config/directory-checks.ts';
import type { Environment } from '../config/environment.ts';
import { isUnknownHost } from '../config/unknown-hosts.ts';
import type { HeaderPrefix } from '../s3/dialect.ts';
import { prefixOption } from './prefix-option.ts';
import { UsageError } from './usage-error.ts';

/** Options of a standalone store. */
export interface StoreAloneOptions {
  readonly directory: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly headerPrefix: HeaderPrefix;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether to create the sample bucket. */
  readonly sample: boolean;
}

interface StoreCommandOptions {
  readonly environment: Environment;
  /** Starts the store; resolves when it is ready, and the process keeps running. */
  readonly serveStore: (request: StoreAloneOptions) => Promise<void>;
}

interface StoreOptions {
  readonly directory: string;
  readonly host: string;
  readonly port: string;
  readonly prefix: HeaderPrefix;
  readonly sample?: boolean;
}

const HIGHEST_PORT = 65_535;

/** `tidegate store`: runs the embedded store without a gateway, for tests and experiments. */
export function addStoreCommand(
  program: Command,
  { environment, serveStore }: StoreCommandOptions,
  running: () => void,
): void {
  program
    .command('store')
    .description('run a store alone, owned by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment')
    .requiredOption('--directory <directory>', 'directory of the data; created when missing')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for any free one', '9000')
    .addOption(prefixOption('prefix of its response headers'))
    .option('--sample', 'create the sample bucket')
    .action(async ({ directory, host, port, prefix, sample = false }: StoreOptions) => {
      const owner = ownerIn(environment);
      if (isFile(directory)) throw new UsageError(`--directory ${directory} is a file, or below one`);
      if (await isUnknownHost(host))
        throw new UsageError(
          `--host ${host} is not known; it takes an address of this machine, or a name of one`,
        );
      await serveStore({ directory, host, port: portNumber(port), headerPrefix: prefix, ...owner, sample });
      running();
    });
}

function portNumber(port: string): number {
  const number = Number(port);
  if (/^\d+$/.test(port) && number <= HIGHEST_PORT) return number;
  throw new UsageError(`--port ${port} is not a number from 0 to ${HIGHEST_PORT}`);
}

function ownerIn({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: Environment) {
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new UsageError('store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  }
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
}
