import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../base/clock.ts';
import { answerLast } from '../../transport/discard-input.ts';
import type { Channel, ChannelMessage } from './channel.ts';

const MAX_READERS = 32;
const LEVELS_EVERY_MS = 1_000;

/** Streams messages to open pages as server-sent events: first the kept ones, then new ones. */
export class LiveMessages {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #readers = new Set<ServerResponse>();
  readonly #unsubscribe: () => void;
  #tick: Timer | undefined;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
    this.#unsubscribe = channel.subscribe(message => this.#toAll(messageEvent(message)));
  }

  /** Keeps `response` open as an event stream; answers 503 when 32 pages are open. A HEAD has no stream. */
  attach(response: ServerResponse): void {
    const head = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    if (response.req.method === 'HEAD') {
      response.writeHead(200, head).end();
      return;
    }
    if (this.#readers.size >= MAX_READERS) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('Too many open pages.');
      return;
    }
    answerLast(response);
    response.writeHead(200, head);
    response.write(
      `retry: 1000\n\n${this.#channel.messages().map(messageEvent).join('')}${this.#levelsEvent()}`,
    );
    this.#readers.add(response);
    response.once('close', () => this.#readers.delete(response));
    this.#tick ??= this.#clock.after(LEVELS_EVERY_MS, () => this.#sendLevels());
  }

  /** Ends all streams. */
  close(): void {
    this.#tick?.cancel();
    this.#unsubscribe();
    for (const reader of this.#readers) reader.end();
  }

  /** The windows reset with time, so their levels are sent periodically while a page is open. */
  #sendLevels(): void {
    this.#toAll(this.#levelsEvent());
    const watched = this.#readers.size > 0;
    this.#tick = watched ? this.#clock.after(LEVELS_EVERY_MS, () => this.#sendLevels()) : undefined;
  }

  #levelsEvent(): string {
    return `event: levels\ndata: ${JSON.stringify(this.#channel.levels())}\n\n`;
  }

  #toAll(event: string): void {
    for (const reader of this.#readers) {
      // a page that does not read is disconnected; it reconnects and receives everything again
      if (reader.writableNeedDrain) reader.destroy();
      else reader.write(event);
    }
  }
}

function messageEvent(message: ChannelMessage): string {
  return `event: message\nid: ${message.id}\ndata: ${JSON.stringify(message)}\n\n`;
}
