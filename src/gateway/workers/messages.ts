import type { WholeReply } from '../../backend/store.ts';
import type { Coverage } from '../../cache/coverage.ts';
import type { AskedFor, GenerationIdentity } from '../../cache/generation-identity.ts';
import type { Part } from '../../cache/part-map.ts';
import type { ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import type { ToldPlace } from '../../cache/slot-texts.ts';
import type { ContentCoding } from '../../http/content-coding.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { LookupResult } from '../read/object-source.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** A read as sent to the worker that owns the object; the bucket is identified by its client-side name. */
export type WireRead = Omit<ObjectRead, 'bucket'> & { readonly bucketName: string };

/** An object in a bucket, which is identified by its client-side name. */
export interface WireObject extends Pick<WireRead, 'bucketName' | 'objectKey'> {
  /** At a web origin, of a content: the rules that it was made by, see `placeText`. */
  readonly place?: string;
}

/** The position of a block in the arena; valid while the slot keeps its tag. */
export interface WireBlock {
  readonly slot: number;
  readonly tag: number;
  /** First byte of the block within the content. */
  readonly blockStart: number;
  /** The bytes `[from, to)` of the content that are held. */
  readonly from: number;
  readonly to: number;
}

/** What a content of an object is: enough to go on with it where its owner has forgotten it. */
export interface WireIdentity extends Omit<GenerationIdentity, 'objectKey'> {
  readonly blockBytes: number;
  /** How its bytes are asked for; undefined where they were made here, so that nobody can be asked. */
  readonly asked: AskedFor | undefined;
}

/** A content, identified by the number its owner gave it. */
export interface WireContent {
  readonly contentId: number;
  readonly identity: WireIdentity;
  readonly parts: readonly (readonly [number, Part])[];
  readonly partCount: number | undefined;
}

/** Some bytes of a content. */
export interface WireSpan {
  readonly contentId: number;
  /** Where its owner finds the content if that is packed. */
  readonly object: WireObject;
  readonly from: number;
  readonly to: number;
}

/** A range that another worker starts to read. */
export interface WireRange extends WireSpan {
  /** What the content is, if bytes before `from` have already been sent: then no other one will do. */
  readonly begun?: WireIdentity | undefined;
  /** The trace of the request that wants the bytes. */
  readonly trace?: TraceContext | undefined;
}

/** A content that is wanted in another coding. */
export interface WireEncoding extends Pick<WireRange, 'contentId' | 'object'> {
  readonly coding: ContentCoding;
}

/** A record without its bytes. */
export type WireRecord = Omit<ReadableRecord, 'content'> & { readonly content: WireContent };

export type WireLookupResult = Omit<LookupResult, 'record'> & {
  readonly record: WireRecord | RefusedRecord | UncacheableRecord;
  /** Where the object is told, if the record is what its owner knows: it holds as long as that text is told. */
  readonly told?: ToldPlace | undefined;
};

/** A reader that was opened for another worker. */
export interface WireReader {
  readonly number: number;
  /** How much of what it is for was in memory when it was opened; undefined where it goes on with what has begun. */
  readonly held: Coverage | undefined;
}

/**
 * Bytes lent to a reader in another thread until it returns them, asks for the next ones or closes. Bytes outside the arena are in
 * the message itself; their memory is transferred and no longer usable here.
 */
export type WireLoan =
  | { readonly kind: 'end' }
  | { readonly kind: 'block'; readonly block: WireBlock; readonly from: number; readonly to: number }
  | {
      readonly kind: 'copy';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly from: number;
      /** Where the bytes also are in the arena; undefined when they were evicted. */
      readonly block: WireBlock | undefined;
    };

/** A look-up by another worker, which numbers its questions. */
export interface WireQuestion {
  readonly number: number;
  readonly read: WireRead;
  readonly withChecksums: boolean;
  /** See `Asker.client`. */
  readonly client: string;
}

/** Calls between workers: the procedures that the owner of an object serves. */
export interface PeerCalls {
  find(question: WireQuestion): Promise<WireLookupResult>;
  open(range: WireRange): WireReader;
  /** How much of them is in memory; undefined where the content was replaced. */
  held(span: WireSpan): Coverage | undefined;
  next(reader: number): Promise<WireLoan>;
  /** The content in another coding, made now unless it is held; undefined where it could not be made this time. */
  encode(question: WireEncoding): Promise<WireContent | 'no-gain' | undefined>;
}

/** The answer of a store that refused bytes of a record, which is identified by its content, epoch and age. */
export interface WireRefusal {
  readonly read: WireRead;
  readonly contentId: number;
  readonly epoch: number;
  readonly receivedMs: number;
  readonly reply: WholeReply;
}

/** Procedures whose callers wait for nothing. */
export interface PeerNotices {
  /** Who waited for the answer to the question of this number has left. */
  left(question: number): void;
  /** The reader's last loan has been returned. */
  returned(reader: number): void;
  close(reader: number): void;
  invalidate(content: { readonly read: WireRead; readonly contentId: number }): void;
  refusedByStore(refusal: WireRefusal): void;
  /** The store refused a read that was not sent through the owner, which was lost. `mayBeGone`: what is held is stale from now on. */
  withdraw(refused: { readonly read: WireRead; readonly mayBeGone: boolean }): void;
}

/** The memory in the result of a call that is transferred instead of copied: that of a `WireLoan` outside the arena. */
export function memoryOf(result: unknown): ArrayBuffer[] {
  return isLoanedCopy(result) ? [result.bytes.buffer] : [];
}

function isLoanedCopy(result: unknown): result is Extract<WireLoan, { kind: 'copy' }> {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'copy';
}
