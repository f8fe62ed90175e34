import type { Clock, Timer } from '../../base/clock.ts';
import { describeDuration } from '../../base/time-text.js';
import type { Alert, Fact, Notification, Severity } from '../alert.ts';
import { type NoticeName, type NoticeOptions, noticeTable } from '../rules/notice-table.ts';
import { formatCount } from '../wording.ts';
import { conditionFingerprint } from './episode.ts';

interface NoticesOptions {
  readonly options: () => NoticeOptions;
  readonly clock: Clock;
  readonly notify: (notification: Notification) => void;
  /** The number of firing alerts. */
  readonly firing: () => number;
}

/** Sends notices when the gateway starts and stops, and a heartbeat. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #startedMs: number;
  #heartbeat: Timer | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
  }

  /** Sends the start notice with `facts` such as version and workers, and starts the heartbeat. */
  started(facts: readonly Fact[]): void {
    this.#tell('started', 'The gateway has started and takes requests.', facts);
    this.#scheduleHeartbeat();
  }

  /** Sends the stop notice with the reason, and ends the heartbeat. */
  stopped(reason: string): void {
    this.#heartbeat?.cancel();
    this.#tell('stopped', 'The gateway takes no more requests.', [
      { name: 'Reason', value: reason },
      { name: 'Ran for', value: describeDuration(this.#uptimeMs()) },
    ]);
  }

  /** The options have changed: the next heartbeat is due an interval from now. */
  reschedule(): void {
    this.#heartbeat?.cancel();
    this.#scheduleHeartbeat();
  }

  #scheduleHeartbeat(): void {
    const { clock, options, firing } = this.#options;
    const { heartbeat } = options();
    if (heartbeat === false) return;
    const everyMs = heartbeat?.everyMs ?? noticeTable.heartbeat.defaults.everyMs;
    this.#heartbeat = clock.after(everyMs, () => {
      this.#tell('heartbeat', `The gateway has been running for ${describeDuration(this.#uptimeMs())}.`, [
        { name: 'Open alerts', value: formatCount(firing()) },
        { name: 'Next heartbeat', value: `in ${describeDuration(everyMs)}` },
      ]);
      this.#scheduleHeartbeat();
    });
  }

  #uptimeMs(): number {
    return this.#options.clock.monotonicMs() - this.#startedMs;
  }

  #tell(name: NoticeName, summary: string, facts: readonly Fact[]): void {
    const { options, clock, notify } = this.#options;
    const chosen = options()[name];
    if (chosen === false) return;
    const severity = chosen?.severity ?? noticeTable[name].defaults.severity;
    notify(noticeOf(name, severity, summary, facts, clock.nowMs()));
  }
}

/** Creates the notification of a notice at `atMs` (wall clock). */
export function noticeOf(
  name: NoticeName,
  severity: Severity,
  summary: string,
  facts: readonly Fact[],
  atMs: number,
): Notification {
  const fingerprint = conditionFingerprint(name, {});
  const alert: Alert = {
    id: `${fingerprint}.${Math.round(atMs).toString(36)}`,
    ...{ fingerprint, rule: name, severity, state: 'firing', labels: {}, summary, facts, startedAtMs: atMs },
  };
  return { kind: 'notice', alerts: [alert], severity, dedupeKey: `notice:${name}:${alert.id}` };
}
