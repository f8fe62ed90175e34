import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { errorCode } from '../base/error-code.ts';
import type { Environment } from '../config/environment.ts';
import { type AdminAccess, withAdmin } from './admin-access.ts';
import type { ExitCode } from './exit-code.ts';
import { Interruption, type SignalSource } from './interruption.ts';
import { UsageError } from './usage-error.ts';
import { WarmRun, type WarmRunOptions } from './warm-run.ts';

interface WarmCommandOptions extends WarmRunOptions {
  readonly environment: Environment;
  readonly signals: SignalSource;
}

interface WarmOptions extends AdminAccess {
  readonly prefix?: string;
  readonly manifest?: string;
  readonly from?: string;
  readonly concurrency: number;
  readonly rate: number;
  readonly json?: boolean;
}

/** As many as the admin port takes at a time. */
const KEYS_PER_REQUEST = 1_000;

/** What it takes of `concurrency` and `rate`. */
const [MOST_AT_A_TIME, HIGHEST_RATE] = [64, 1_000_000];

/** `tidegate warm`: has a running gateway fetch objects, and shows how far it is. */
export function addWarmCommand(
  program: Command,
  options: WarmCommandOptions,
  ended: (exitCode: ExitCode) => void,
): void {
  withAdmin(program.command('warm'), options.environment)
    .description('have a running gateway fetch objects before somebody asks for them')
    .argument('<bucket>', 'as clients name it')
    .argument('[keys...]')
    .option('--prefix <prefix>', 'all keys with this prefix; an empty one stands for the whole bucket')
    .option('--manifest <file>', 'the keys in this file, one a line')
    .option('--from <key>', 'only what comes behind this key: the "last" one of a run that was broken off')
    .option(
      '--concurrency <number>',
      `objects at a time, at most ${MOST_AT_A_TIME}`,
      wholeNumber(1, MOST_AT_A_TIME),
      4,
    )
    .option('--rate <number>', 'objects per second; 0: as fast as they come', wholeNumber(0, HIGHEST_RATE), 0)
    .option('--json', 'print the lines of progress as they come')
    .action(async (bucket: string, keys: readonly string[], asked: WarmOptions) => {
      const requests = requestsOf(keys, asked);
      const interruption = new Interruption(options.signals);
      const run = new WarmRun(options, asked, totalOf(requests), interruption.signal);
      try {
        for (const what of requests) await run.take({ bucket, ...what });
      } finally {
        interruption.stopListening();
        run.tell();
      }
      ended(interruption.exitCode ?? (run.isFine ? 0 : 1));
    });
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return text => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
  };
}

/** The part of a request that says what is to be fetched. */
interface Wanted {
  readonly prefix?: string;
  readonly from?: string | undefined;
  readonly keys?: readonly string[];
}

/** The number of objects, where it is known. */
function totalOf(requests: readonly Wanted[]): number | undefined {
  let total = 0;
  for (const { keys } of requests) {
    if (!keys) return undefined;
    total += keys.length;
  }
  return total;
}

/** @throws UsageError unless there is one kind of keys, and `from` may be one of them */
function requestsOf(
  keys: readonly string[],
  { prefix, manifest, from, concurrency, rate }: WarmOptions,
): readonly Wanted[] {
  const given = [keys.length > 0, prefix !== undefined, manifest !== undefined].filter(Boolean).length;
  if (given !== 1)
    throw new UsageError('warm takes BUCKET KEY…, BUCKET --prefix PREFIX or BUCKET --manifest FILE');
  const pace = { concurrency, rate };
  if (prefix !== undefined) {
    if (from !== undefined && !from.startsWith(prefix))
      throw new UsageError(`--from ${JSON.stringify(from)} does not begin with the prefix`);
    return [{ prefix, from, ...pace }];
  }
  const left = behind(from, manifest === undefined ? keys : keysIn(manifest));
  const requests: Wanted[] = [];
  for (let at = 0; at < left.length; at += KEYS_PER_REQUEST)
    requests.push({ keys: left.slice(at, at + KEYS_PER_REQUEST), ...pace });
  return requests;
}

/** @throws UsageError where `from` is none of the keys */
function behind(from: string | undefined, keys: readonly string[]): readonly string[] {
  if (from === undefined) return keys;
  const at = keys.indexOf(from);
  if (at === -1) throw new UsageError(`--from ${JSON.stringify(from)} is none of the keys`);
  return keys.slice(at + 1);
}

/** @throws UsageError */
function keysIn(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines.filter(line => line !== '');
  } catch (cause) {
    throw new UsageError(`--manifest ${file} cannot be read (${errorCode(cause) ?? String(cause)})`, {
      cause,
    });
  }
}
