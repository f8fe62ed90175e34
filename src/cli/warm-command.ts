import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { printableLine } from '../base/printable.ts';
import type { Environment } from '../config/environment.ts';
import { type AdminAccess, streamFromAdmin, withAdmin } from './admin-access.ts';
import { UsageError } from './usage-error.ts';

interface WarmCommandOptions {
  readonly environment: Environment;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Replaces the line that was shown last; undefined where nobody looks at a terminal. */
  readonly showProgress?: ((line: string) => void) | undefined;
}

interface WarmOptions extends AdminAccess {
  readonly prefix?: string;
  readonly manifest?: string;
  readonly from?: string;
  readonly concurrency: number;
  readonly rate: number;
  readonly json?: boolean;
}

/** A line of `POST /api/warm`. */
interface WarmLine {
  readonly key?: string;
  readonly error?: string;
  readonly status?: number;
  readonly keys?: number;
  readonly warmed?: number;
  readonly held?: number;
  readonly uncached?: number;
  readonly failed?: number;
  readonly bytes?: number;
  readonly last?: string;
  readonly complete?: boolean;
}

/** What the requests so far have told. */
interface Totals {
  keys: number;
  warmed: number;
  held: number;
  uncached: number;
  failed: number;
  bytes: number;
}

const counted = ['keys', 'warmed', 'held', 'uncached', 'failed', 'bytes'] as const;

const BAR_LENGTH = 30;

/** As many as the admin port takes at a time. */
const KEYS_PER_REQUEST = 1_000;

/** What it takes of `concurrency` and `rate`. */
const [MOST_AT_A_TIME, HIGHEST_RATE] = [64, 1_000_000];

/** `tidegate warm`: has a running gateway fetch objects, and shows how far it is. */
export function addWarmCommand(
  program: Command,
  options: WarmCommandOptions,
  ended: (exitCode: 0 | 1 | 2) => void,
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
      const run = new WarmRun(options, asked, totalOf(requests));
      for (const what of requests) await run.take({ bucket, ...what });
      ended(run.end() ? 0 : 1);
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

/** @throws UsageError unless there is one kind of keys */
function requestsOf(
  keys: readonly string[],
  { prefix, manifest, from, concurrency, rate }: WarmOptions,
): readonly Wanted[] {
  const given = [keys.length > 0, prefix !== undefined, manifest !== undefined].filter(Boolean).length;
  if (given !== 1)
    throw new UsageError('warm takes BUCKET KEY…, BUCKET --prefix PREFIX or BUCKET --manifest FILE');
  const pace = { concurrency, rate };
  if (prefix !== undefined) return [{ prefix, from, ...pace }];
  const all = manifest === undefined ? keys : keysIn(manifest);
  const left = from === undefined ? all : all.slice(all.indexOf(from) + 1);
  const requests: Wanted[] = [];
  for (let at = 0; at < left.length; at += KEYS_PER_REQUEST)
    requests.push({ keys: left.slice(at, at + KEYS_PER_REQUEST), ...pace });
  return requests;
}

/** @throws UsageError */
function keysIn(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines.filter(line => line !== '');
  } catch (cause) {
    throw new UsageError(`--manifest ${file} cannot be read`, { cause });
  }
}

/** The requests of one command, and what they have told. */
class WarmRun {
  readonly #options: WarmCommandOptions;
  readonly #asked: WarmOptions;
  readonly #total: number | undefined;
  readonly #before: Totals = { keys: 0, warmed: 0, held: 0, uncached: 0, failed: 0, bytes: 0 };
  #latest: WarmLine = {};
  #isComplete = true;

  /** @param total the number of objects, where it is known */
  constructor(options: WarmCommandOptions, asked: WarmOptions, total: number | undefined) {
    this.#total = total;
    this.#options = options;
    this.#asked = asked;
  }

  /** Sends one request and shows its lines. After one that broke off, none is sent. */
  async take(request: object): Promise<void> {
    if (!this.#isComplete) return;
    this.#isComplete = false;
    for await (const text of streamFromAdmin(this.#asked, '/api/warm', request)) this.#show(text);
    for (const name of counted) this.#before[name] += this.#latest[name] ?? 0;
    this.#latest = this.#latest.last === undefined ? {} : { last: this.#latest.last };
  }

  /** Prints how it went; returns whether all was fetched. */
  end(): boolean {
    const { keys, warmed, held, uncached, failed, bytes } = this.#before;
    const { last } = this.#latest;
    this.#options.showProgress?.('');
    if (!this.#asked.json)
      this.#options.print(
        `${keys} objects, ${bytes} bytes: ${warmed} fetched, ${held} held already, ${uncached} not kept, ${failed} failed`,
      );
    if (!this.#isComplete && last !== undefined)
      this.#options.printError(`broken off; go on with --from ${JSON.stringify(last)}`);
    return this.#isComplete && failed === 0;
  }

  #show(text: string): void {
    const line = JSON.parse(text) as WarmLine;
    if (this.#asked.json) this.#options.print(text);
    if (line.key !== undefined) {
      if (!this.#asked.json)
        this.#options.printError(
          `${printableLine(line.key)}: ${line.error ?? `the store answered ${line.status}`}`,
        );
      return;
    }
    this.#latest = line;
    if (line.complete) this.#isComplete = true;
    if (line.error !== undefined) this.#options.printError(line.error);
    const keys = this.#before.keys + (line.keys ?? 0);
    const mebibytes = Math.floor((this.#before.bytes + (line.bytes ?? 0)) / 2 ** 20);
    const told = `${keys} objects, ${mebibytes} MiB  ${printableLine(line.last ?? '')}`;
    this.#options.showProgress?.(this.#total === undefined ? told : `${barOf(keys / this.#total)} ${told}`);
  }
}

function barOf(share: number): string {
  const filled = Math.round(BAR_LENGTH * Math.min(1, share));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_LENGTH - filled)}]`;
}
