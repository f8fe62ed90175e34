import { Command, CommanderError } from 'commander';
import type { Clock } from '../base/clock.ts';
import { meantHint, nearestName } from '../base/nearest-name.ts';
import { printable } from '../base/printable.ts';
import { ConfigError } from '../config/config-error.ts';
import { defaultConfig } from '../config/default-config.ts';
import type { Environment } from '../config/environment.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { type CheckedFile, checkFile } from '../config/load-config.ts';
import { refuseWhatDoesNotFit } from '../config/machine-warnings.ts';
import { refuseUnknownHosts } from '../config/unknown-hosts.ts';
import { addAdminCommands } from './admin-commands.ts';
import { addCardCommand } from './card-command.ts';
import { addCheckCommand } from './check-command.ts';
import { addCompletionCommand } from './completion-command.ts';
import { configOption } from './config-option.ts';
import type { ProbeStores } from './connect-report.ts';
import type { ExitCode } from './exit-code.ts';
import { helpSections } from './help-text.ts';
import type { SignalSource } from './interruption.ts';
import { addSignCommand } from './sign-command.ts';
import { addStoreCommand, type StoreAloneOptions } from './store-command.ts';
import { UsageError } from './usage-error.ts';
import { addWarmCommand } from './warm-command.ts';

/** Input of the `serve` command: the configuration, its file if there is one, and warnings of what it says. */
export interface ServeRequest {
  readonly config: GatewayConfig;
  readonly file: string | undefined;
  /** Reads the file again; undefined where there is none. @throws ConfigError */
  readonly read: (() => CheckedFile) | undefined;
  /** Of values that are allowed but probably mistakes; one line each, without secrets. */
  readonly warnings: readonly string[];
}

/** External dependencies of the commands. */
interface ProgramOptions {
  readonly version: string;
  readonly environment: Environment;
  /** Starts the gateway; resolves when it is ready, and the process keeps running. */
  readonly serve: (request: ServeRequest) => Promise<void>;
  /** Starts a standalone embedded store; resolves when it is ready, and the process keeps running. */
  readonly serveStore: (request: StoreAloneOptions) => Promise<void>;
  /** Builds what a start builds, for `check`. Rejects with what the start would fail with. */
  readonly build: (config: GatewayConfig) => Promise<void>;
  /** Queries the stores of a configuration. */
  readonly connect: ProbeStores;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Of the process. */
  readonly signals: SignalSource;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Replaces the line that was shown last; undefined where nobody looks at a terminal. */
  readonly showProgress?: ((line: string) => void) | undefined;
}

/** How a command ended; `running` means that the process must not exit. */
type ProgramEnd = { readonly kind: 'running' } | { readonly kind: 'ended'; readonly exitCode: ExitCode };

/**
 * Runs one command of `tidegate`. Exit codes: 0 success, 1 runtime failure, 2 wrong usage or configuration
 * (README.md, Operating it), 130 and 143 where SIGINT or SIGTERM has ended `warm` early. Never throws: errors are printed as one message.
 */
export async function runProgram(args: readonly string[], given: ProgramOptions): Promise<ProgramEnd> {
  const options = printingSafely(given);
  let end: ProgramEnd = { kind: 'ended', exitCode: 0 };
  const program = createProgram(
    options,
    () => {
      end = { kind: 'running' };
    },
    exitCode => {
      end = { kind: 'ended', exitCode };
    },
  );
  try {
    requireCommand(args, program);
    await program.parseAsync(args, { from: 'user' });
    return end;
  } catch (error) {
    return { kind: 'ended', exitCode: explain(error, options.printError) };
  }
}

/** Everything printed may quote names that clients or stores chose. */
function printingSafely(options: ProgramOptions): ProgramOptions {
  const { print, printError, showProgress } = options;
  return {
    ...options,
    ...(showProgress && { showProgress: (line: string) => showProgress(printable(line)) }),
    print: line => print(printable(line)),
    printError: line => printError(printable(line)),
  };
}

/**
 * Without this, a misspelt command would be taken for an argument of the default one.
 *
 * @throws UsageError
 */
function requireCommand(args: readonly string[], program: Command): void {
  const written = args[0] === 'help' ? args[1] : args[0];
  if (written === undefined || written.startsWith('-') || written === 'help') return;
  if (program.commands.some(command => command.name() === written)) return;
  const shown = program.createHelp().visibleCommands(program);
  const hint = commandHint(
    written,
    shown.map(command => command.name()),
  );
  throw new UsageError(`unknown command ${JSON.stringify(written)}${hint}`);
}

const CONFIG_HINT = '; a configuration is given with --config FILE';

function commandHint(written: string, names: readonly string[]): string {
  if (/\.ya?ml$/i.test(written)) return CONFIG_HINT;
  const meant = nearestName(written, names);
  return meant === undefined ? `; the commands are ${names.join(', ')}` : meantHint(meant);
}

function createProgram(
  options: ProgramOptions,
  running: () => void,
  ended: (exitCode: ExitCode) => void,
): Command {
  const { environment, print, printError } = options;
  const program = new Command('tidegate')
    .description('A caching gateway in front of object storage.')
    .version(options.version)
    .addHelpText('after', helpSections)
    .exitOverride()
    .configureOutput({
      writeOut: text => print(text.trimEnd()),
      writeErr: text => printError(text.trimEnd()),
      outputError: (text, write) => write(inOwnForm(text)),
    });
  program
    .command('serve', { isDefault: true })
    .description('run the gateway; without a configuration, with a store of its own that has samples')
    .addOption(configOption(environment))
    .action(async ({ config: file }: { config?: string }) => {
      const read = file === undefined ? undefined : () => checkFile(file, environment);
      const checked = read?.() ?? { config: defaultConfig(environment), warnings: [] };
      const source = file ?? 'the default configuration';
      refuseWhatDoesNotFit(checked.config, source);
      await refuseUnknownHosts(checked.config, source);
      await options.serve({ ...checked, file, read });
      running();
    });
  addCheckCommand(program, options, ended);
  addAdminCommands(program, options);
  addWarmCommand(program, options, ended);
  addCardCommand(program, options);
  addSignCommand(program, options);
  addStoreCommand(program, options, running);
  addCompletionCommand(program, options);
  return program;
}

/** What commander says of arguments, as other errors are told. */
function inOwnForm(text: string): string {
  const isOfConfiguration = /^error: too many arguments for '(?:serve|check)'.*\.ya?ml\.\n$/i.test(text);
  const told = isOfConfiguration ? text.replace(/\.\n$/, CONFIG_HINT) : text;
  return told.replace(/^error: /, 'tidegate: ');
}

function explain(error: unknown, printError: (line: string) => void): 0 | 1 | 2 {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  printError(`tidegate: ${error instanceof Error ? error.message : String(error)}`);
  return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}
