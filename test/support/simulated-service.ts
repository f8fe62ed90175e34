import type { PostOutcome } from '../../src/alerts/delivery/reply.ts';
import type { PostCard } from '../../src/alerts/delivery/webhook-post.ts';
import type { EventClock } from './event-clock.ts';

/** docs/cards.md, Limits, written down once more: the sender's own table is under test. */
const LIMITS = [
  { lengthMs: 1_000, limit: 4 },
  { lengthMs: 30_000, limit: 60 },
  { lengthMs: 3_600_000, limit: 100 },
  { lengthMs: 7_200_000, limit: 150 },
  { lengthMs: 86_400_000, limit: 1_800 },
] as const;

export const ok: PostOutcome = { kind: 'answer', status: 200, body: '1' };

export const inBody = (code: number): PostOutcome => ({
  kind: 'answer',
  status: 200,
  body: `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${code}`,
});

/** One post as the service saw it. */
interface SeenPost {
  readonly url: string;
  readonly card: { readonly keys: readonly string[]; readonly kind: string };
  readonly countedAtMs: number;
  readonly outcome: PostOutcome;
}

/**
 * The chat service as the sender meets it: it counts each request somewhere between its arrival and the reply, in
 * fixed windows of the given phases, and says so when one overflows. `answer` decides everything else.
 */
export class SimulatedService {
  readonly seen: SeenPost[] = [];
  /** Posts whose window was full already: the law says there are none. */
  overruns = 0;
  /** The most posts that were under way at once. */
  mostAtOnce = 0;
  answer: (post: number) => PostOutcome = () => ok;
  latencyMs: (post: number) => number = () => 20;
  readonly #clock: EventClock;
  readonly #counters: { window: number; count: number }[] = LIMITS.map(() => ({ window: -1, count: 0 }));
  readonly #phases: readonly number[];
  #underWay = 0;

  constructor(clock: EventClock, phases: readonly number[] = []) {
    this.#clock = clock;
    this.#phases = phases;
  }

  readonly post: PostCard = async (url, json) => {
    const index = this.seen.length;
    const latencyMs = this.latencyMs(index);
    this.#underWay++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
    const early = Math.floor(latencyMs / 2);
    await this.#pass(early);
    const throttled = this.#count();
    if (throttled) this.overruns++;
    const outcome = throttled ? inBody(429) : this.answer(index);
    this.seen.push({ url, card: JSON.parse(json), countedAtMs: this.#clock.nowMs(), outcome });
    await this.#pass(latencyMs - early);
    this.#underWay--;
    return outcome;
  };

  /** The keys of all notifications in posts that were answered with yes, in order. */
  delivered(): readonly string[] {
    return this.seen.filter(({ outcome }) => outcome === ok).flatMap(({ card }) => card.keys);
  }

  #pass(milliseconds: number): Promise<void> {
    return new Promise(resolve => void this.#clock.after(milliseconds, resolve));
  }

  #count(): boolean {
    let over = false;
    LIMITS.forEach(({ lengthMs, limit }, index) => {
      const window = Math.floor((this.#clock.monotonicMs() + (this.#phases[index] ?? 0)) / lengthMs);
      const counter = this.#counters[index];
      if (!counter) return;
      if (counter.window !== window) Object.assign(counter, { window, count: 0 });
      counter.count++;
      over ||= counter.count > limit;
    });
    return over;
  }
}
