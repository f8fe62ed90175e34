import { expect } from 'vitest';
import type { Content, ContentReader, Loan } from '../../src/cache/content.ts';
import type { ReadableRecord } from '../../src/cache/record.ts';
import { ObjectChangedError, RefusedByStoreError } from '../../src/gateway/fill/fill-error.ts';
import type { ObjectSource } from '../../src/gateway/read/object-source.ts';
import { lookupFresh } from '../../src/gateway/read/record-cache.ts';
import type { Bucket } from '../../src/gateway/request/bucket.ts';
import type { ObjectRead } from '../../src/gateway/request/object-read.ts';
import { type RangeRequest, type Selection, selectRange } from '../../src/http/range.ts';
import { readOf } from './object-reads.ts';
import { originOf, versionOf } from './scripted-store.ts';
import { misplaced } from './self-describing.ts';

/** Where a scripted reader reads. */
interface ReaderWorld {
  readonly source: ObjectSource;
  readonly bucket: Bucket;
  readonly nowMs: number;
}

/** Bodies up to here are asked for as text. */
const textLimitBytes = 300;

/** What a client asks for. */
export interface WhatIsRead {
  readonly key: string;
  readonly method: 'GET' | 'HEAD';
  readonly range: RangeRequest;
  readonly partNumber: number | undefined;
}

/**
 * Reads bytes of an object as an answer to a client does, one loan at a time, and looks at every
 * byte when it is lent and again when it is given back.
 */
export class ScriptedReader {
  readonly #world: ReaderWorld;
  readonly #read: ObjectRead;
  readonly #key: string;
  #record: ReadableRecord | undefined;
  #reader: ContentReader | undefined;
  #position = 0;
  #to = 0;
  #loan: Loan | undefined;
  #isAsking = false;
  #outcome: 'running' | 'read' | 'left' | Error = 'running';

  /** @param oldest the oldest version that may be found. */
  constructor(world: ReaderWorld, { key, method, range, partNumber }: WhatIsRead, oldest: number) {
    this.#world = world;
    this.#key = key;
    const policy = { ...world.bucket.rulesFor(key).cache, blockSizeBytes: 1024 };
    this.#read = readOf(key, { bucket: world.bucket, method, range, partNumber, policy });
    void this.#begin(oldest);
  }

  get isOver(): boolean {
    return this.#outcome !== 'running';
  }

  /** Gives back what was lent last and takes the next. */
  go(): void {
    if (this.isOver || this.#isAsking || !this.#reader) return;
    this.#giveBack();
    if (this.#position === this.#to) this.#end('read');
    else void this.#take(this.#reader);
  }

  leave(): void {
    if (this.isOver) return;
    this.#giveBack();
    this.#end('left');
  }

  /** Throws when it failed for none of the reasons that there may be: codes of errors. */
  check(reasons: readonly string[]): void {
    if (!(this.#outcome instanceof Error)) return;
    const code = 'code' in this.#outcome ? String(this.#outcome.code) : '';
    if (!reasons.includes(code)) throw this.#outcome;
  }

  toString(): string {
    return `${this.#key} at ${this.#position} of ${this.#to}${this.#isAsking ? ', waiting' : ''}`;
  }

  async #begin(oldest: number): Promise<void> {
    this.#isAsking = true;
    try {
      const { source, nowMs } = this.#world;
      const record = lookupFresh(source.records, this.#read, nowMs) ?? (await source.find(this.#read)).record;
      this.#isAsking = false;
      if (this.isOver) return;
      if (record.kind !== 'readable') {
        this.#end('left');
        return;
      }
      expect(versionOf(record.entityTag), 'law 5').toBeGreaterThanOrEqual(oldest);
      this.#record = record;
      const selected = this.#select(record);
      if (this.#read.method === 'HEAD' || selected.kind === 'unsatisfiable') this.#end('read');
      else if (selected.kind === 'part') this.#open(record.content, selected.first, selected.last + 1);
      else this.#open(record.content, 0, record.sizeBytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  #select({ content, sizeBytes }: ReadableRecord): Selection {
    if (this.#read.partNumber === undefined) return selectRange(this.#read.range, sizeBytes);
    const part = content.parts.get(this.#read.partNumber);
    return part ? { kind: 'part', ...part } : { kind: 'unsatisfiable' };
  }

  /** Short bodies are sent in one piece where they are in memory. */
  #open(content: Content, from: number, to: number): void {
    this.#position = from;
    this.#to = to;
    if (to - from <= textLimitBytes) {
      const text = content.peekText(from, to);
      if (text !== undefined) {
        this.#compare(Buffer.from(text, 'latin1'), from);
        this.#end('read');
        return;
      }
    }
    const loan = content.lend(from, to);
    this.#reader = content.open(loan ? to : from, to);
    if (loan) this.#lent(loan);
    else void this.#take(this.#reader);
  }

  async #take(reader: ContentReader): Promise<void> {
    this.#isAsking = true;
    try {
      const loan = await reader.next();
      if (this.isOver) loan?.release();
      else if (loan) this.#lent(loan);
      else throw new Error(`${this} ended early`);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isAsking = false;
    }
  }

  #lent(loan: Loan): void {
    this.#loan = loan;
    this.#compare(loan.bytes, this.#position);
    this.#position += loan.bytes.length;
  }

  #giveBack(): void {
    if (!this.#loan) return;
    this.#compare(this.#loan.bytes, this.#position - this.#loan.bytes.length);
    this.#loan.release();
    this.#loan = undefined;
  }

  #compare(bytes: Buffer, position: number): void {
    const version = versionOf(this.#record?.entityTag);
    const wrong = misplaced(originOf(this.#key, version), position, bytes);
    if (wrong !== undefined) throw new Error(wrong);
  }

  #fail(error: unknown): void {
    if (this.isOver) return;
    if (error instanceof ObjectChangedError && this.#record)
      this.#world.source.invalidate(this.#read, this.#record);
    if (error instanceof RefusedByStoreError && this.#record)
      this.#world.source.refusedByStore(this.#read, this.#record, error.reply);
    this.#end(error instanceof Error ? error : new Error(String(error)));
  }

  #end(outcome: 'read' | 'left' | Error): void {
    this.#outcome = outcome;
    this.#loan?.release();
    this.#loan = undefined;
    this.#reader?.close();
  }
}
