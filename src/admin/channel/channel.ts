import type { Clock } from '../../base/clock.ts';
import { connectorToAdaptive, type MappedElement } from './connector-to-adaptive.ts';
import { type Payload, type ReceivedCard, readPostedCard } from './payload.ts';
import { RequestWindows } from './request-windows.ts';

/** The response of the service to a post. */
interface ServiceReply {
  readonly status: number;
  readonly text: string;
}

/** A message as shown on the page. */
export interface ChannelMessage {
  readonly id: number;
  readonly receivedAtMs: number;
  readonly form: 'text' | 'connector' | 'adaptive';
  /** The card's theme colour as `#rrggbb`. */
  readonly accent?: string;
  readonly cards: readonly MappedElement[];
  /** When the answer to a button last replaced the card. */
  readonly refreshedAtMs?: number;
}

/** docs/cards.md §1, Size: the documented limit of the service. */
const MAX_PAYLOAD_BYTES = 28 * 1024;
const MAX_MESSAGES = 200;
const done: ServiceReply = { status: 200, text: '1' };

/**
 * A chat channel with an incoming webhook that behaves as docs/cards.md describes the service: three payload forms,
 * the body `1` for success, five fixed rate windows, throttling reported in the body of a 200. Keeps the latest 200
 * messages.
 */
export class Channel {
  readonly #clock: Clock;
  readonly #windows: RequestWindows;
  readonly #messages = new Map<number, ChannelMessage>();
  readonly #sources = new Map<number, ReceivedCard>();
  readonly #listeners = new Set<(message: ChannelMessage) => void>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windows = new RequestWindows(clock);
  }

  /** Handles a post to the webhook. */
  receive(contentType: string | undefined, body: Uint8Array): ServiceReply {
    if (this.#windows.count().kind === 'throttled') return inBodyError(429);
    if (body.byteLength > MAX_PAYLOAD_BYTES) return inBodyError(413);
    const payload = readBody(contentType, body);
    if (payload.form === 'none') return { status: 400, text: payload.refusal };
    this.#lastId++;
    if (payload.form === 'connector') this.#sources.set(this.#lastId, payload.card);
    this.#show({ id: this.#lastId, receivedAtMs: this.#clock.nowMs(), ...shown(payload) });
    return done;
  }

  /** The connector card of a message, whose buttons can be pressed. */
  connectorCard(id: number): ReceivedCard | undefined {
    return this.#sources.get(id);
  }

  /** Replaces the card of a message (docs/cards.md §2, CARD-UPDATE-IN-BODY). */
  refresh(id: number, card: ReceivedCard): void {
    const message = this.#messages.get(id);
    if (!message) return;
    this.#sources.set(id, card);
    const { receivedAtMs } = message;
    this.#show({
      id,
      receivedAtMs,
      refreshedAtMs: this.#clock.nowMs(),
      ...shown({ form: 'connector', card }),
    });
  }

  /** The kept messages, oldest first. */
  messages(): readonly ChannelMessage[] {
    return [...this.#messages.values()];
  }

  /** The usage of the rate windows. */
  levels(): ReturnType<RequestWindows['levels']> {
    return this.#windows.levels();
  }

  /** Calls `listener` with each new or changed message; returns a function that unsubscribes. */
  subscribe(listener: (message: ChannelMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #show(message: ChannelMessage): void {
    this.#messages.set(message.id, message);
    const oldest = this.#messages.keys().next().value;
    if (this.#messages.size > MAX_MESSAGES && oldest !== undefined) {
      this.#messages.delete(oldest);
      this.#sources.delete(oldest);
    }
    for (const listener of this.#listeners) listener(message);
  }
}

/** docs/cards.md §1, Replies: errors, including throttling, are reported as text in a 200. */
function inBodyError(code: number): ServiceReply {
  const text = `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${code} with ContextId tcid=0,server=channel,cv=local.`;
  return { status: 200, text };
}

function readBody(contentType: string | undefined, body: Uint8Array): Payload {
  const isJson = /^application\/json\s*(;|$)/i.test(contentType ?? '');
  try {
    return readPostedCard(
      isJson ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) : undefined,
    );
  } catch {
    return readPostedCard(undefined);
  }
}

function shown(
  payload: Exclude<Payload, { form: 'none' }>,
): Pick<ChannelMessage, 'form' | 'cards' | 'accent'> {
  switch (payload.form) {
    case 'text': {
      const body = [{ type: 'TextBlock', text: payload.text, wrap: true }];
      return { form: 'text', cards: [{ type: 'AdaptiveCard', version: '1.5', body }] };
    }
    case 'adaptive':
      return { form: 'adaptive', cards: payload.cards };
    case 'connector': {
      const { themeColor = '' } = payload.card;
      const accent = /^#?([0-9a-f]{6})$/i.exec(themeColor)?.[1];
      const cards = [connectorToAdaptive(payload.card)];
      return { form: 'connector', cards, ...(accent ? { accent: `#${accent.toLowerCase()}` } : {}) };
    }
  }
}
