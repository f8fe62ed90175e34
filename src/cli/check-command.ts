import type { Command } from 'commander';
import { describeSource } from '../backend/credentials/credential-source.ts';
import { printableLine } from '../base/printable.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { checkFile } from '../config/load-config.ts';
import { refuseUnwritableLog } from '../config/log-file-check.ts';
import { refuseWhatDoesNotFit } from '../config/machine-warnings.ts';
import { formatPath } from '../config/problems.ts';
import { undecidedBackends } from '../config/restricted-keys.ts';
import { refuseUnknownHosts } from '../config/unknown-hosts.ts';
import { configOption } from './config-option.ts';
import { connectReport, type ProbeStores } from './connect-report.ts';
import { differenceReport } from './difference-report.ts';
import { UsageError } from './usage-error.ts';

/** External dependencies of the command. */
interface CheckOptions {
  readonly environment: Environment;
  /** Builds what a start builds. Rejects with what the start would fail with. */
  readonly build: (config: GatewayConfig) => Promise<void>;
  readonly connect: ProbeStores;
  readonly print: (line: string) => void;
}

/**
 * `tidegate check`: validates a configuration; with `--connect` it also asks stores, web origins and the queue of events whether
 * the configuration describes them correctly.
 */
export function addCheckCommand(
  program: Command,
  { environment, build, connect, print }: CheckOptions,
  end: (exitCode: 0 | 1 | 2) => void,
): void {
  program
    .command('check')
    .description('check a configuration: exit code 0 where a start would take it, 2 where not')
    .addOption(configOption(environment))
    .option(
      '--connect',
      'also ask web origins whether they answer, stores and the queue of events whether they answer and take the credentials, and stores for their buckets and how they distinguish keys, for 30 s at most; nothing is written; exit code 1 where one cannot be used',
    )
    .option(
      '--admin <address>',
      'also tell what differs from the configuration of the running gateway with this admin port, as host:port or URL',
    )
    .option('--token <token>', 'its bearer token (or TIDEGATE_ADMIN_TOKEN)')
    .action(async ({ config: file, connect: connects, admin, token }: CheckArguments) => {
      if (file === undefined) throw new UsageError('check needs a file: tidegate check --config FILE');
      const { config, warnings } = checkFile(file, environment, !connects);
      refuseWhatDoesNotFit(config, file);
      await refuseUnknownHosts(config, file);
      refuseUnwritableLog(config, file);
      for (const warning of warnings) print(`warning: ${warning}`);
      await buildable(file, config, build);
      print(`${file} ${verdictOn(config, warnings)}: ${countsOf(config)}`);
      for (const line of sourcesOf(config)) print(printableLine(line));
      if (admin !== undefined) {
        const access = { admin, token: token ?? environment.TIDEGATE_ADMIN_TOKEN };
        for (const line of await differenceReport(config, access)) print(line);
      }
      if (!connects) return;
      const { lines, exitCode } = connectReport(config, await connect(config));
      // what stores answered is part of the lines
      for (const line of lines) print(printableLine(line));
      end(exitCode);
    });
}

interface CheckArguments {
  readonly config?: string;
  readonly connect?: true;
  readonly admin?: string;
  readonly token?: string;
}

/** @throws ConfigError */
async function buildable(file: string, config: GatewayConfig, build: CheckOptions['build']): Promise<void> {
  try {
    await build(config);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(file, [`a start would fail: ${reason}`], { cause });
  }
}

/** A start does not take it as long as `keys` is open, which is asked of the stores. */
function verdictOn(config: GatewayConfig, { length }: readonly string[]): string {
  const open = Array.from(undecidedBackends(config).keys(), name => formatPath(['backends', name, 'keys']));
  const has = length === 0 ? '' : `, and has ${counted(length, 'warning')}`;
  if (open.length > 0) return `can be used once it has ${open.join(' and ')}${has}`;
  return length === 0 ? 'is fine' : `can be used${has}`;
}

function countsOf({ buckets, backends }: GatewayConfig): string {
  return `${counted(Object.keys(buckets).length, 'bucket')}, ${counted(Object.keys(backends).length, 'backend')}`;
}

/** Where the credentials come from that a start would obtain. */
function sourcesOf({ backends, events: { queue } }: GatewayConfig): readonly string[] {
  const signing = [
    ...Object.entries(backends).flatMap(([name, backend]) =>
      backend.type === 's3'
        ? [{ name: formatPath(['backends', name]), credentials: backend.credentials }]
        : [],
    ),
    ...(queue ? [{ name: 'events.queue', credentials: queue.credentials }] : []),
  ];
  return signing.flatMap(({ name, credentials }) =>
    credentials.kind === 'provided'
      ? [`${name} takes its credentials from ${describeSource(credentials.source)}`]
      : [],
  );
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
