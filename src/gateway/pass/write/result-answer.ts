import type { StoreReplyHead, WholeReply } from '../../../backend/store.ts';
import { isLength } from '../../../s3/passed-fields.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import type { PassedReceiver } from '../pass-through.ts';

/** Results and errors take less than a kilobyte, and a key at most six. */
export const RESULT_LIMIT_BYTES = 64 * 1024;

/**
 * What stands before the root element: white space, the XML declaration, and more white space (XML 1.0 §2.8). Other instructions, and
 * anything else in the declaration, may name anything.
 */
const prolog =
  /^\s*(?:<\?xml\s+version=["']1\.\d["'](?:\s+encoding=["']utf-8["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*\?>\s*)?/i;

/** How the document of an answer is written for the client. */
export interface ResultOptions {
  /** The document for the client, from the root element of the store's. @throws InvalidReplyError */
  readonly write: (reply: WholeReply) => Buffer;
  /** Called once if the answer cannot be used: the call has to fail with `error`. */
  readonly refused: (error: Error) => void;
}

/**
 * Passes on the answer of a write with a small document in it, which is rewritten. A store that needs long sends its 200
 * early, and white space until it knows the result, which may then be an error
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html): the white space keeps the client
 * waiting and is passed on as it comes, the root element at the end.
 */
export class ResultAnswer implements PassedReceiver {
  readonly #receiver: PassedReceiver;
  readonly #options: ResultOptions;
  /** Undefined before a 200, and for what has no result, which is not changed. */
  #head: StoreReplyHead | undefined;
  /** Whether the head is held back, because the length that it tells will be another one. */
  #isHeld = false;
  #isRefused = false;
  #document = Buffer.alloc(0);

  constructor(receiver: PassedReceiver, options: ResultOptions) {
    this.#receiver = receiver;
    this.#options = options;
  }

  answered(head: StoreReplyHead): void {
    if (head.status !== 200) {
      if (isOtherSuccess(head)) this.#refuse(new InvalidReplyError(`a result has the status ${head.status}`));
      else this.#receiver.answered(head);
      return;
    }
    this.#head = head;
    this.#isHeld = head.fields.some(isLength);
    if (!this.#isHeld) this.#receiver.answered(head);
  }

  arrived(chunk: Buffer): void {
    if (this.#isRefused) return;
    if (!this.#head) {
      this.#receiver.arrived(chunk);
      return;
    }
    this.#document = Buffer.concat([this.#document, chunk]);
    if (!this.#isHeld) this.#passProlog();
    if (this.#document.length > RESULT_LIMIT_BYTES)
      this.#refuse(new InvalidReplyError('a result is too long'));
  }

  ended(): void {
    if (this.#isRefused) return;
    if (this.#head) {
      const document = this.#written(this.#head);
      if (!document) return;
      if (this.#isHeld) this.#receiver.answered(withLength(this.#head, document.length));
      if (document.length > 0) this.#receiver.arrived(document);
    }
    this.#receiver.ended();
  }

  failed(error: unknown): void {
    this.#receiver.failed(error);
  }

  #passProlog(): void {
    const lengthBytes = prologBytes(this.#document);
    if (lengthBytes === 0) return;
    this.#receiver.arrived(this.#document.subarray(0, lengthBytes));
    this.#document = this.#document.subarray(lengthBytes);
  }

  /** The document for the client; undefined when the store's cannot be used. */
  #written(head: StoreReplyHead): Buffer | undefined {
    const document = this.#document;
    const lengthBytes = prologBytes(document);
    if (lengthBytes === document.length) return document;
    try {
      const written = this.#options.write({ ...head, body: document.subarray(lengthBytes) });
      return Buffer.concat([document.subarray(0, lengthBytes), written.subarray(prologBytes(written))]);
    } catch (error) {
      if (!(error instanceof InvalidReplyError)) throw error;
      this.#refuse(error);
      return undefined;
    }
  }

  #refuse(error: Error): void {
    this.#isRefused = true;
    this.#options.refused(error);
  }
}

/** Whether a success has a status that no result has: nobody knows what is in it, which may be names of the store. */
function isOtherSuccess({ status }: StoreReplyHead): boolean {
  return status < 300 && status !== 204;
}

function prologBytes(document: Buffer): number {
  return prolog.exec(document.toString('latin1'))?.[0].length ?? 0;
}

function withLength(head: StoreReplyHead, lengthBytes: number): StoreReplyHead {
  const fields = head.fields.map(field =>
    isLength(field) ? { ...field, value: String(lengthBytes) } : field,
  );
  return { ...head, fields };
}
