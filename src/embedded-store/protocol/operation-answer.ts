import type { Readable } from 'node:stream';

/** What an operation answers, before the dialect and the connection come into it. */
export interface OperationAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose names get the prefix of the dialect. */
  readonly prefixed?: Readonly<Record<string, string>>;
  readonly body?: AnswerBody;
}

export type AnswerBody =
  | { readonly kind: 'xml'; readonly document: string }
  /** `content` is absent where only its size is told, as to HEAD. It must be read or destroyed. */
  | { readonly kind: 'bytes'; readonly sizeBytes: number; readonly content?: Readable | undefined };
