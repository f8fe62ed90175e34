import type { StoreReplyHead } from '../../backend/store.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { Warmed } from '../read/warmed.ts';
import type { CacheReport, LookupOutcome } from '../request/cache-status.ts';
import type { WebRequest } from '../web/web-read.ts';
import type { WebAddress } from '../web/web-target.ts';
import type { WireObject, WireRecord } from './messages.ts';
import type { WireError } from './wire-error.ts';

/** A read as sent to the worker that owns the name. */
export interface WireWebRead {
  /** Identifies it among those of its sender. */
  readonly number: number;
  readonly bucketName: string;
  /** By which rules the read was made, see `placeText`. */
  readonly place: string;
  readonly request: Omit<WebRequest, 'address'> & { readonly address: Omit<WebAddress, 'bucket'> };
  /** The fields that the origin gets. */
  readonly sent: readonly HeaderField[];
  /** Whether the origin is to be asked whatever is held: that has failed to answer it. */
  readonly isAnew: boolean;
  /** Whom the request counts for at the origin. */
  readonly quota: string;
}

/** A page that is to be held, as told the worker that owns the name. */
export interface WireWebPage extends WireObject {
  /** As that of a read. */
  readonly number: number;
  readonly place: string;
  /** As an operator names it, see `webKeyOf`. */
  readonly key: string;
}

/** How a read has ended at the owner. */
export type WireWebEnd =
  | {
      readonly kind: 'record';
      readonly record: WireRecord;
      readonly outcome: LookupOutcome;
      /** Set where it is for others, too: `NameChanges.count` when it was told. */
      readonly keptAt: number | undefined;
      /** See `WebClient.answer`. */
      readonly told: readonly HeaderField[] | undefined;
    }
  /** The answer was passed on as it came, and has ended. */
  | { readonly kind: 'passed'; readonly rawTrailers?: readonly string[] }
  /** The error is a value: a call that was abandoned hears of no other. */
  | { readonly kind: 'failed'; readonly error: WireError; readonly report: CacheReport };

/**
 * How fast the client takes what is passed on, see `StoreCall`, and how much of that its worker has got: what is on the way is
 * held by nobody's window.
 */
export type Pace =
  | 'pause'
  | 'resume'
  | { readonly tookBytes: number; readonly gotBytes?: never }
  | { readonly gotBytes: number };

/** As much is on the way to the worker of a client before the call is paused, which tells each time that it has got a quarter. */
export const ON_THE_WAY_BYTES = 512 * 1024;

/** Calls between workers about web origins. */
export interface WebCalls {
  webRead(read: WireWebRead): Promise<WireWebEnd>;
  webWarm(page: WireWebPage): Promise<Warmed>;
}

/** Procedures whose callers wait for nothing. The first four are those of the owner. */
export interface WebNotices {
  /** The client of the read of this number has left, or has taken all that was passed on; nobody wants the page of this number. */
  webGone(number: number): void;
  webPaced(told: { readonly number: number; readonly pace: Pace }): void;
  /** A record with this content turned out to be of no use. */
  webForget(content: WireObject & { readonly contentId: number }): void;
  /** The rest of what is held of this name could not be had. */
  webRestFailed(name: WireObject): void;
  /** An answer before the final one. */
  webInformed(told: {
    readonly number: number;
    readonly status: number;
    readonly rawHeaders: readonly string[];
  }): void;
  /** An answer that is passed on begins. */
  webBegan(told: {
    readonly number: number;
    readonly head: StoreReplyHead;
    readonly report: CacheReport;
  }): void;
  /** The memory of the bytes is transferred. */
  webArrived(told: { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }): void;
}
