import type { TraceContext } from '../http/trace-context.ts';
import type { Block } from './block.ts';
import type { ContentReader, Loan } from './content.ts';
import type { GenerationEncodings } from './generation-encodings.ts';
import type { AskedFor } from './generation-identity.ts';

/** How a content gets at its bytes: `ContentAccess` of a `Generation`, which knows this file. */
export interface AccessTo<Of> {
  /** How missing bytes are asked for; undefined where nothing but the key is named. */
  readonly asked?: AskedFor | undefined;
  /** Readers from now on ask in this way. */
  askAs?(asked: AskedFor): void;
  /** A reader of `[from, to)` that fetches what is missing. `hasBegun`: bytes before `from` have already been sent. */
  open(of: Of, from: number, to: number, hasBegun: boolean, trace?: TraceContext): ContentReader;
  /** The contents that are made of `of` in other codings; called once, when the first is asked for. */
  encodingsOf?(of: Of): GenerationEncodings;
  /** Bytes of a block from offset `from`, at most up to `to`. */
  lend(block: Block, from: number, to: number): Loan;
  /** A fill has ended. */
  filled?(): void;
}
