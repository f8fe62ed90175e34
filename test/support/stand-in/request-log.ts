import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** How an exchange went: still going on, all sent, cut by a fault, or given up by the client. */
export type Ending = 'open' | 'complete' | 'broken' | 'left';

/** One request that arrived, and what has become of it so far. */
export interface LoggedRequest {
  /** 1 for the first request since the start or the last `clear`. */
  readonly number: number;
  readonly method: string;
  /** The request target exactly as it was sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** 0 until the head of the answer was sent. */
  readonly status: number;
  /** Bytes of the body given to the socket. */
  readonly bodyBytes: number;
  readonly ending: Ending;
}

/** A moment in the life of a stand-in store, counted since the start or the last `clear`. */
export type Moment = { readonly requests: number } | { readonly bodyBytes: number };

type Entry = { -readonly [Field in keyof LoggedRequest]: LoggedRequest[Field] };
type Watch = { readonly due: () => boolean; readonly run: () => void };

/** Everything a stand-in store was asked, with counters and ways to wait for what is still to come. */
export class RequestLog {
  readonly #entries: Entry[] = [];
  #watches: Watch[] = [];
  #bodyBytes = 0;
  #ended = 0;

  get requests(): readonly LoggedRequest[] {
    return this.#entries;
  }

  /** Bytes of all bodies together. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Forgets all requests and sets the counters to zero; requests still open are counted no more. */
  clear(): void {
    this.#entries.length = 0;
    this.#bodyBytes = 0;
    this.#ended = 0;
  }

  /** Kept when the n-th request has arrived. */
  arrival(n: number): Promise<void> {
    return this.#when(() => this.#entries.length >= n);
  }

  /** Kept when n exchanges have ended, whichever way. */
  endings(n: number): Promise<void> {
    return this.#when(() => this.#ended >= n);
  }

  /** Runs `action` at `moment`, before the request or the byte that follows is dealt with. */
  at(moment: Moment, action: () => void): void {
    const due =
      'requests' in moment
        ? () => this.#entries.length >= moment.requests
        : () => this.#bodyBytes >= moment.bodyBytes;
    this.#watches.push({ due, run: action });
    this.#look();
  }

  /** Notes a request that has just arrived. */
  open(request: IncomingMessage): RequestNote {
    const entry: Entry = {
      number: this.#entries.length + 1,
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      status: 0,
      bodyBytes: 0,
      ending: 'open',
    };
    this.#entries.push(entry);
    this.#look();
    const counted = () => this.#entries[entry.number - 1] === entry;
    return {
      entry,
      head: status => {
        entry.status = status;
      },
      body: bytes => {
        entry.bodyBytes += bytes;
        if (!counted()) return;
        this.#bodyBytes += bytes;
        this.#look();
      },
      end: ending => {
        entry.ending = ending;
        if (!counted()) return;
        this.#ended++;
        this.#look();
      },
    };
  }

  #when(due: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watches.push({ due, run: resolve });
    this.#look();
    return promise;
  }

  #look(): void {
    if (this.#watches.length === 0) return;
    const due = this.#watches.filter(watch => watch.due());
    this.#watches = this.#watches.filter(watch => !due.includes(watch));
    for (const watch of due) watch.run();
  }
}

/** The pen with which the store writes down how one exchange goes. */
export interface RequestNote {
  readonly entry: LoggedRequest;
  head(status: number): void;
  body(bytes: number): void;
  end(ending: Ending): void;
}
