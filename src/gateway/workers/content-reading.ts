import type { Block } from '../../cache/block.ts';
import type { ContentReader, Loan } from '../../cache/content.ts';
import type { EntryTable } from '../../cache/entry-table.ts';
import type { ContentAccess, Generation } from '../../cache/generation.ts';
import { GenerationEncodings } from '../../cache/generation-encodings.ts';
import type { AskedFor, GenerationIdentity } from '../../cache/generation-identity.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { ContentEncoder } from '../fill/content-encoder.ts';
import { GenerationReader, type ReaderContext } from '../fill/generation-reader.ts';
import type { RangeSource } from '../fill/ranged-read.ts';
import { type BucketNow, rangeSource, type StoredObject } from './content-source.ts';

/** What the contents of a worker share. */
export interface ReadingParts {
  readonly table: Pick<EntryTable, 'grew' | 'tell'>;
  readonly encoder: ContentEncoder;
  readonly readers: ReaderContext;
  readonly bucketNow: BucketNow;
}

/** How one content gets at its bytes. Most are read from memory alone, so the way to the store is made when it is needed. */
export class ContentReading implements ContentAccess {
  readonly #parts: ReadingParts;
  readonly #object: StoredObject;
  readonly #identity: GenerationIdentity;
  #asked: AskedFor;
  #source: RangeSource | undefined;

  constructor(parts: ReadingParts, object: StoredObject, asked: AskedFor, identity: GenerationIdentity) {
    this.#parts = parts;
    this.#object = object;
    this.#asked = asked;
    this.#identity = identity;
  }

  get asked(): AskedFor {
    return this.#asked;
  }

  askAs(next: AskedFor): void {
    this.#asked = next;
    this.#source = undefined;
  }

  open(
    generation: Generation,
    from: number,
    to: number,
    hasBegun: boolean,
    trace?: TraceContext,
  ): ContentReader {
    const source = trace ? this.#sourceFor(trace) : this.#untraced();
    return new GenerationReader(generation, { from, to, hasBegun }, source, this.#parts.readers);
  }

  filled(): void {
    this.#parts.table.tell(this.#object.objectKey);
  }

  grew(): void {
    this.#parts.table.grew(this.#object.objectKey);
  }

  encodingsOf(of: Generation): GenerationEncodings {
    return new GenerationEncodings(
      coding => this.#parts.encoder.make(of, coding),
      () => this.grew(),
    );
  }

  lend(block: Block, from: number, to: number): Loan {
    return this.#parts.readers.lender.lend(block, from, to);
  }

  #untraced(): RangeSource {
    this.#source ??= this.#sourceFor();
    return this.#source;
  }

  #sourceFor(trace?: TraceContext): RangeSource {
    return rangeSource(this.#object, this.#asked, this.#identity, this.#parts.bucketNow, { trace });
  }
}
