import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type CredentialFailure, failureOf } from './credential-failure.ts';
import type { RefreshOutcome } from './credential-meter.ts';
import { areSame, type ProvidedCredentials } from './credential-source.ts';
import type { CredentialStatus } from './credential-status.ts';
import type { Provide } from './provide-credentials.ts';
import { renewalDelayMs, retryDelayMs } from './refresh-schedule.ts';

interface RefresherOptions {
  readonly backend: string;
  /** The source, in words. */
  readonly source: string;
  readonly provide: Provide;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** Passes new credentials to those who sign with them. If that fails, the refresh has failed. */
  readonly hand: (credentials: ProvidedCredentials) => Promise<void>;
  readonly count: (outcome: RefreshOutcome) => void;
}

/** A source that has not answered for so long has failed. */
const LONGEST_REFRESH_MS = 60_000;

/** Limit for refreshes that do not end even after their timeout: each may hold a connection. */
const HUNG_LIMIT = 3;

/** Above the limit, the source is asked at this interval: later requests may succeed although the hung ones never end. */
const HUNG_RETRY_MS = 10 * 60_000;

/** How often a store's refusal leads to a refresh before its time. */
const EARLY_REFRESH_MS = 60_000;

/** Services have new credentials at least so long before the old ones end. */
const UNCHANGED_UNTIL_MS = 5 * 60_000;

/** Timers do not run while a machine is suspended, and wall clocks are set: the time is looked at this often. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Keeps the credentials of one backend valid: obtains them from their source, renews them before they expire, and tries
 * again with growing delays while that fails. There is one refresh at a time, whoever asks for it.
 */
export class CredentialRefresher {
  readonly #options: RefresherOptions;
  #held: ProvidedCredentials | undefined;
  #obtainedAtMs: number | undefined;
  #failure: CredentialStatus['failure'];
  #failures = 0;
  #running: Promise<void> | undefined;
  /** When the refreshes that have not ended began, oldest first. */
  #unended: { readonly atMs: number }[] = [];
  #question: AbortController | undefined;
  #timer: Timer | undefined;
  /** When the next refresh is due; undefined where credentials never expire. */
  #dueAtMs: number | undefined;
  #isExpiryLogged = false;
  #earlyMs = -Infinity;
  #isStopped = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  /** Obtains credentials, or joins the refresh that is running. Resolves in any case when it has ended. */
  refresh(): Promise<void> {
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * The store does not accept these credentials any more: they may have been revoked. Leads to a refresh, unless others
   * are held by now or a refusal has led to one within the last minute.
   */
  refused(accessKeyId: string): void {
    const { backend, source, clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#held?.accessKeyId !== accessKeyId || nowMs - this.#earlyMs < EARLY_REFRESH_MS) return;
    this.#earlyMs = nowMs;
    logger.warn({ backend, source }, 'the backend does not accept the credentials: they are refreshed early');
    void this.refresh();
  }

  status(): CredentialStatus {
    const { source, clock } = this.#options;
    const expiresAtMs = this.#held?.expiresAtMs;
    const isExpired = expiresAtMs !== undefined && expiresAtMs <= clock.nowMs();
    return {
      source,
      state: this.#held === undefined ? 'missing' : isExpired ? 'expired' : 'valid',
      expiresAtMs,
      obtainedAtMs: this.#obtainedAtMs,
      failure: this.#failure,
    };
  }

  /** Starts no more refreshes, and drops the result of one that is running. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#question?.abort();
  }

  async #refresh(): Promise<void> {
    this.#timer?.cancel();
    const obtained = await this.#obtain();
    if (this.#isStopped) return;
    const outcome = 'cause' in obtained ? this.#failed(obtained) : await this.#obtained(obtained);
    if (this.#isStopped) return;
    this.#options.count(outcome);
    this.#wait();
  }

  /** Asks the source, with a timeout. Then the request is aborted, and a later answer is dropped. */
  async #obtain(): Promise<ProvidedCredentials | CredentialFailure> {
    const { provide, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const lastMs = this.#unended.at(-1)?.atMs ?? -Infinity;
    if (this.#unended.length >= HUNG_LIMIT && nowMs - lastMs < HUNG_RETRY_MS)
      return { cause: 'HUNG', text: `${HUNG_LIMIT} refreshes hang, so no other is started for now` };
    const late = Promise.withResolvers<CredentialFailure>();
    const question = new AbortController();
    this.#question = question;
    const timer = clock.after(LONGEST_REFRESH_MS, () => {
      late.resolve({ cause: 'TIMEOUT', text: LATE });
      question.abort();
    });
    const begun = { atMs: nowMs };
    this.#unended = [...this.#unended, begun].slice(-HUNG_LIMIT);
    const asked = provide(question.signal)
      .catch(failureOf)
      .finally(() => {
        this.#unended = this.#unended.filter(other => other !== begun);
      });
    const answer = await Promise.race([asked, late.promise]);
    timer.cancel();
    return answer;
  }

  async #obtained(credentials: ProvidedCredentials): Promise<RefreshOutcome> {
    const { clock } = this.#options;
    const leftMs = (credentials.expiresAtMs ?? Infinity) - clock.nowMs();
    if (leftMs <= 0)
      return this.#failed({ cause: 'EXPIRED', text: 'the source gave credentials that have expired' });
    const isUnchanged = this.#held !== undefined && areSame(this.#held, credentials);
    if (isUnchanged && leftMs < UNCHANGED_UNTIL_MS && this.#isDue(clock.nowMs()))
      return this.#failed({ cause: 'UNCHANGED', text: 'the source has no newer credentials' });
    if (!isUnchanged) {
      const failure = await this.#hand(credentials);
      if (failure) return this.#failed(failure);
      this.#held = credentials;
      this.#obtainedAtMs = clock.nowMs();
      this.#isExpiryLogged = false;
    }
    this.#succeeded(isUnchanged);
    this.#dueAtMs = leftMs === Infinity ? undefined : clock.nowMs() + this.#renewalDelayMs(leftMs);
    return isUnchanged ? 'unchanged' : 'renewed';
  }

  async #hand(credentials: ProvidedCredentials): Promise<CredentialFailure | undefined> {
    try {
      await this.#options.hand(credentials);
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  #succeeded(isUnchanged: boolean): void {
    const { backend, source, logger } = this.#options;
    const wasFailing = this.#failure !== undefined;
    this.#failure = undefined;
    this.#failures = 0;
    if (isUnchanged && !wasFailing) return;
    const validUntil = timeOf(this.#held?.expiresAtMs);
    logger.info(
      { backend, source, validUntil },
      wasFailing ? 'credentials can be refreshed again' : 'credentials obtained',
    );
  }

  /** What is held goes on being used until it expires. */
  #failed(failure: CredentialFailure): RefreshOutcome {
    const { backend, source, clock, random, logger } = this.#options;
    const before = this.#failure;
    this.#failures++;
    this.#failure = { ...failure, sinceMs: before?.sinceMs ?? clock.nowMs() };
    this.#dueAtMs = clock.nowMs() + retryDelayMs(this.#failures, random());
    if (before?.cause === failure.cause) return 'failed';
    const fields = { backend, source, cause: failure.cause, error: failure.text };
    const { state } = this.status();
    if (state === 'valid') {
      const validUntil = timeOf(this.#held?.expiresAtMs);
      logger.warn(
        { ...fields, validUntil },
        'credentials cannot be refreshed: requests go on with the old ones',
      );
    } else logger.error(fields, `there are no valid credentials: ${UNANSWERED}`);
    return 'failed';
  }

  /** Whether a refresh is on time, not one that a store's refusal has led to. */
  #isDue(nowMs: number): boolean {
    return this.#dueAtMs !== undefined && this.#dueAtMs <= nowMs;
  }

  #renewalDelayMs(leftMs: number): number {
    return renewalDelayMs(leftMs, this.#options.random());
  }

  #wait(): void {
    const { clock } = this.#options;
    const expiresAtMs = this.#isExpiryLogged ? undefined : this.#held?.expiresAtMs;
    const nextMs = Math.min(this.#dueAtMs ?? Infinity, expiresAtMs ?? Infinity);
    if (nextMs === Infinity) return;
    const waitMs = Math.max(0, Math.min(LONGEST_WAIT_MS, nextMs - clock.nowMs()));
    this.#timer?.cancel();
    this.#timer = clock.after(waitMs, () => this.#wake());
  }

  #wake(): void {
    this.#logExpiry();
    if (this.#isDue(this.#options.clock.nowMs())) void this.refresh();
    else this.#wait();
  }

  #logExpiry(): void {
    const { backend, source, logger } = this.#options;
    const { state, failure } = this.status();
    if (state !== 'expired' || this.#isExpiryLogged) return;
    this.#isExpiryLogged = true;
    const why = failure && { cause: failure.cause, error: failure.text };
    logger.error({ backend, source, ...why }, `the credentials have expired: ${UNANSWERED}`);
  }
}

const LATE = `the source has not answered within ${LONGEST_REFRESH_MS / 1_000} s`;

const UNANSWERED = 'what is not cached is answered 503 until there are new ones';

function timeOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
