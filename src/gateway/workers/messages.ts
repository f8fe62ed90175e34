import type { WholeReply } from '../../backend/store.ts';
import type { Part } from '../../cache/part-map.ts';
import type { ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import type { LookupResult } from '../read/lookup-result.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** A read as sent to the worker that owns the object; the bucket is identified by its client-side name. */
export type WireRead = Omit<ObjectRead, 'bucket'> & { readonly bucketName: string };

/** A content, identified by the number its owner gave it. */
export interface WireContent {
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly blockBytes: number;
  readonly parts: readonly (readonly [number, Part])[];
  readonly partCount: number | undefined;
}

/** A record without its bytes. */
export type WireRecord = Omit<ReadableRecord, 'content'> & { readonly content: WireContent };

export type WireLookupResult = Omit<LookupResult, 'record'> & {
  readonly record: WireRecord | RefusedRecord | UncacheableRecord;
};

/** The position of a block in the arena; valid while the slot keeps its tag. */
export interface WireBlock {
  readonly slot: number;
  readonly tag: number;
  readonly slotSizeBytes: number;
  /** First byte of the block within the content. */
  readonly blockStart: number;
  /** The bytes `[from, to)` of the content that are held. */
  readonly from: number;
  readonly to: number;
}

/**
 * Bytes lent to a reader in another thread until it asks for the next ones or closes. Bytes outside the arena are in
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

/** Requests between workers. */
export interface PeerCalls {
  find: {
    readonly ask: { readonly read: WireRead; readonly withChecksums: boolean };
    readonly answer: WireLookupResult;
  };
  open: {
    readonly ask: {
      readonly contentId: number;
      readonly from: number;
      readonly to: number;
      /** Whether bytes before `from` have already been sent. */
      readonly hasBegun: boolean;
    };
    readonly answer: number;
  };
  next: { readonly ask: { readonly reader: number }; readonly answer: WireLoan };
}

/** One-way messages between workers. */
export type PeerNotice =
  | { readonly kind: 'close'; readonly reader: number }
  | { readonly kind: 'outdated'; readonly read: WireRead; readonly contentId: number }
  | { readonly kind: 'refused'; readonly read: WireRead; readonly reply: WholeReply };

/** The buffers of `answer` to transfer instead of copying them. */
export function memoryOf(answer: PeerCalls[keyof PeerCalls]['answer']): ArrayBuffer[] {
  return typeof answer === 'object' && 'kind' in answer && answer.kind === 'copy'
    ? [answer.bytes.buffer]
    : [];
}
