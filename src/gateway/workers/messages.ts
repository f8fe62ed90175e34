import type { WholeReply } from '../../backend/store.ts';
import type { Part } from '../../cache/part-map.ts';
import type { ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import type { LookupResult } from '../read/lookup-result.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** A read as it is told to the worker that owns the object: the bucket by the name that clients use. */
export type WireRead = Omit<ObjectRead, 'bucket'> & { readonly bucketName: string };

/** A content by the number that its owner gave it. */
export interface WireContent {
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly blockBytes: number;
  readonly parts: readonly (readonly [number, Part])[];
  readonly partCount: number | undefined;
}

/** A record without the bytes. */
export type WireRecord = Omit<ReadableRecord, 'content'> & { readonly content: WireContent };

export type WireLookupResult = Omit<LookupResult, 'record'> & {
  readonly record: WireRecord | RefusedRecord | UncacheableRecord;
};

/** Where bytes of a block are in the arena, for as long as the slot keeps its tag. */
export interface WireBlock {
  readonly slot: number;
  readonly tag: number;
  readonly slotSizeBytes: number;
  /** First byte of the block within its content. */
  readonly blockStart: number;
  /** The bytes of the content that are there: `[from, to)`. */
  readonly from: number;
  readonly to: number;
}

/**
 * Bytes lent to a reader in another thread until it asks for the next or closes; in the message when not in the arena: then
 * their memory goes with it, and is gone here.
 */
export type WireLoan =
  | { readonly kind: 'end' }
  | { readonly kind: 'block'; readonly block: WireBlock; readonly from: number; readonly to: number }
  | {
      readonly kind: 'copy';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly from: number;
      /** Where the bytes are in memory as well; undefined when they are not any more. */
      readonly block: WireBlock | undefined;
    };

/** What one worker asks another, which answers. */
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
      /** Whether bytes before `from` have been sent. */
      readonly hasBegun: boolean;
    };
    readonly answer: number;
  };
  next: { readonly ask: { readonly reader: number }; readonly answer: WireLoan };
}

/** What one worker tells another without waiting. */
export type PeerNotice =
  | { readonly kind: 'close'; readonly reader: number }
  | { readonly kind: 'outdated'; readonly read: WireRead; readonly contentId: number }
  | { readonly kind: 'refused'; readonly read: WireRead; readonly reply: WholeReply };

/** The memory that goes to the other worker with an answer, instead of being copied once more and freed some time later. */
export function memoryOf(answer: PeerCalls[keyof PeerCalls]['answer']): ArrayBuffer[] {
  return typeof answer === 'object' && 'kind' in answer && answer.kind === 'copy'
    ? [answer.bytes.buffer]
    : [];
}
