import type { Clock } from '../base/clock.ts';
import { printableLine } from '../base/printable.ts';
import { type AdminAccess, streamFromAdmin } from './admin-access.ts';

export interface WarmRunOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Replaces the line that was shown last; undefined where nobody looks at a terminal. */
  readonly showProgress?: ((line: string) => void) | undefined;
}

interface Asked extends AdminAccess {
  /** Where an earlier run was. */
  readonly from?: string;
  readonly json?: boolean;
}

/** A line of `POST /api/warm`. */
interface WarmLine extends Partial<Totals> {
  readonly key?: string;
  readonly error?: string;
  readonly status?: number;
  /** Of the error that came with `status`. */
  readonly code?: string;
  /** Why the answer of a web origin is not kept. */
  readonly notKept?: string;
  readonly last?: string | undefined;
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

/** The requests of one command, and what they have told. */
export class WarmRun {
  readonly #options: WarmRunOptions;
  readonly #asked: Asked;
  readonly #total: number | undefined;
  readonly #signal: AbortSignal;
  readonly #beganMs: number;
  readonly #before: Totals = { keys: 0, warmed: 0, held: 0, uncached: 0, failed: 0, bytes: 0 };
  #latest: WarmLine = {};
  #last: string | undefined;
  #isComplete = true;

  /**
   * @param total the number of objects, where it is known
   * @param signal breaks it off
   */
  constructor(options: WarmRunOptions, asked: Asked, total: number | undefined, signal: AbortSignal) {
    this.#total = total;
    this.#options = options;
    this.#asked = asked;
    this.#signal = signal;
    this.#last = asked.from;
    this.#beganMs = options.clock.monotonicMs();
  }

  /**
   * Sends one request and shows its lines. After one that broke off, none is sent.
   *
   * @throws AdminRequestError unless it was broken off here
   */
  async take(request: object): Promise<void> {
    if (!this.#isComplete) return;
    this.#isComplete = false;
    try {
      for await (const text of streamFromAdmin(this.#asked, '/api/warm', request, this.#signal))
        this.#show(text);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    } finally {
      for (const name of counted) this.#before[name] += this.#latest[name] ?? 0;
      this.#latest = {};
    }
  }

  /** Whether all was fetched. */
  get isFine(): boolean {
    return this.#isComplete && this.#before.failed === 0;
  }

  /** Prints how it went, and where to go on if it was broken off; nothing if it has not even begun. */
  tell(): void {
    const { keys, warmed, held, uncached, failed, bytes } = this.#before;
    const { showProgress, print, printError } = this.#options;
    const isInterrupted = this.#signal.aborted && !this.#isComplete;
    if (!this.#isComplete && !isInterrupted && keys === 0) return;
    showProgress?.('');
    if (!this.#asked.json)
      print(
        `${keys} ${keys === 1 ? 'object' : 'objects'}, ${bytes} bytes: ${warmed} fetched, ${held} held already, ${uncached} not kept, ${failed} failed`,
      );
    if (this.#isComplete) return;
    const how = isInterrupted ? 'interrupted' : 'broken off';
    const next =
      this.#last === undefined
        ? 'nothing is known to be done: start again'
        : `go on with --from ${JSON.stringify(this.#last)}`;
    printError(`${how}; ${next}`);
  }

  #show(text: string): void {
    const line = JSON.parse(text) as WarmLine;
    if (this.#asked.json) this.#options.print(text);
    if (line.key !== undefined) {
      if (!this.#asked.json) this.#options.printError(`${printableLine(line.key)}: ${outcomeOf(line)}`);
      return;
    }
    this.#latest = line;
    this.#last = line.last ?? this.#last;
    if (line.complete) this.#isComplete = true;
    if (line.error !== undefined) this.#options.printError(line.error);
    this.#options.showProgress?.(this.#progress());
  }

  #progress(): string {
    const sum = (name: keyof Totals) => this.#before[name] + (this.#latest[name] ?? 0);
    const keys = sum('keys');
    const passedS = (this.#options.clock.monotonicMs() - this.#beganMs) / 1_000;
    const rate = passedS > 0 ? `, ${Math.round(keys / passedS)}/s` : '';
    const mebibytes = Math.floor(sum('bytes') / 2 ** 20);
    const counts = `${sum('warmed')} fetched, ${sum('held')} held, ${sum('failed')} failed`;
    const told = `${keys} objects${rate}, ${mebibytes} MiB, ${counts}  ${printableLine(this.#last ?? '')}`;
    return this.#total === undefined ? told : `${barOf(keys / this.#total)} ${told}`;
  }
}

function outcomeOf({ error, status, code, notKept }: WarmLine): string {
  if (notKept !== undefined) return `not kept: ${notKept}`;
  return error ?? `answered ${status}${code === undefined ? '' : ` ${printableLine(code)}`}`;
}

function barOf(share: number): string {
  const filled = Math.round(BAR_LENGTH * Math.min(1, share));
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_LENGTH - filled)}]`;
}
