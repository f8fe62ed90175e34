import type { Readable } from 'node:stream';

/** The response of an operation, independent of dialect and connection. */
export interface OperationAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that get the prefix of the dialect. */
  readonly prefixed?: Readonly<Record<string, string>>;
  readonly body?: AnswerBody;
}

export type AnswerBody =
  | { readonly kind: 'xml'; readonly document: string }
  /** Without `content` only the size is reported, as for HEAD. `content` must be read or destroyed. */
  | { readonly kind: 'bytes'; readonly sizeBytes: number; readonly content?: Readable | undefined };
