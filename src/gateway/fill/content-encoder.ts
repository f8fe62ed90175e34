import { once } from 'node:events';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { Faults } from '../../base/faults.ts';
import type { Loan } from '../../cache/content.ts';
import type { Generation } from '../../cache/generation.ts';
import type { EncodingOutcome } from '../../cache/generation-encodings.ts';
import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import { type ContentCoding, codedTag } from '../../http/content-coding.ts';
import { writeWhole } from './write-whole.ts';

/** Contents that wait for their turn. What comes when there are more is made when it is read again. */
const WAITING_LIMIT = 256;

/** Taken from memory at a time, and pinned there until the compressor has read it. */
const PIECE_BYTES = 64 * 1024;

/** A coded content that is not shorter by a twentieth is not worth its memory. */
const WORTHWHILE_SHARE = 0.95;

/** A compressor of node:zlib: it works in threads of libuv's pool. */
type Compressor = ReturnType<typeof createGzip> | ReturnType<typeof createZstdCompress>;

/** What is made once and read often may cost more than what is compressed for each answer. */
const compressors: Readonly<Record<ContentCoding, (sizeBytes: number) => Compressor>> = {
  gzip: () => createGzip({ level: 6 }),
  br: sizeBytes =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: sizeBytes },
    }),
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 6 } }),
};

interface EncoderParts {
  /** A content of the same object as `of`, without bytes. */
  readonly create: (of: Generation, identity: GenerationIdentity) => Generation;
  /** Receives unexpected exceptions. */
  readonly faults: Faults | undefined;
}

/** How often the making of a content ended in which way. */
type EncodingEnd = 'made' | 'no-gain' | 'not-held' | 'no-room' | 'busy' | 'failed';

/**
 * Makes contents in other codings, one at a time in a worker. The bytes are read from memory alone, so nothing is ever
 * fetched for it, and beside the compressor it holds what has come out of it, which is less than the content.
 */
export class ContentEncoder {
  readonly #parts: EncoderParts;
  readonly #ends = new Map<
    string,
    { readonly coding: ContentCoding; readonly end: EncodingEnd; count: number }
  >();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(parts: EncoderParts) {
    this.#parts = parts;
  }

  /** For metrics. */
  get ends(): Iterable<{
    readonly coding: ContentCoding;
    readonly end: EncodingEnd;
    readonly count: number;
  }> {
    return this.#ends.values();
  }

  /** Makes `of` in `coding`. Never rejects. */
  async make(of: Generation, coding: ContentCoding): Promise<EncodingOutcome<Generation>> {
    if (this.#waiting >= WAITING_LIMIT) return this.#ended(coding, 'busy');
    this.#waiting++;
    const made = this.#turn.then(() => this.#attempt(of, coding));
    this.#turn = made;
    try {
      return await made;
    } finally {
      this.#waiting--;
    }
  }

  async #attempt(of: Generation, coding: ContentCoding): Promise<EncodingOutcome<Generation>> {
    try {
      const body = await encoded(of, coding);
      if (body === 'not-held') return this.#ended(coding, 'not-held');
      if (body === 'no-gain') {
        this.#ended(coding, body);
        return body;
      }
      const made = this.#write(of, coding, body);
      this.#ended(coding, made ? 'made' : 'no-room');
      return made;
    } catch (error) {
      this.#parts.faults?.note(error);
      return this.#ended(coding, 'failed');
    }
  }

  #write(of: Generation, coding: ContentCoding, body: Buffer): Generation | undefined {
    const { objectKey, versionId, entityTag } = of.identity;
    const made = this.#parts.create(of, {
      ...{ objectKey, versionId, sizeBytes: body.length, contentEncoding: coding },
      entityTag: entityTag && codedTag(entityTag, coding),
    });
    if (writeWhole(made, body)) return made;
    made.retire();
    return undefined;
  }

  #ended(coding: ContentCoding, end: EncodingEnd): undefined {
    const name = `${coding} ${end}`;
    const known = this.#ends.get(name) ?? { coding, end, count: 0 };
    known.count++;
    this.#ends.set(name, known);
  }
}

/** The bytes of `content` in `coding`, if all of it is in memory. */
async function encoded(content: Generation, coding: ContentCoding): Promise<Buffer | 'no-gain' | 'not-held'> {
  const { sizeBytes } = content;
  if (content.coverage(0, sizeBytes) !== 'all') return 'not-held';
  const compressor = compressors[coding](sizeBytes);
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  compressor.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    lengthBytes += chunk.length;
  });
  // who writes or waits for the end is told
  compressor.on('error', () => undefined);
  try {
    const isTooLong = () => lengthBytes > sizeBytes * WORTHWHILE_SHARE;
    for (let position = 0; position < sizeBytes; ) {
      const until = Math.min(position + PIECE_BYTES, content.blockEnd(position));
      const loan = content.lend(position, until);
      if (!loan) return 'not-held';
      position = until;
      await compress(compressor, loan);
      if (isTooLong()) return 'no-gain';
    }
    const ended = once(compressor, 'end');
    compressor.end();
    await ended;
    return isTooLong() ? 'no-gain' : Buffer.concat(chunks);
  } finally {
    compressor.destroy();
  }
}

/** The loan is held until the compressor, which reads it in another thread, has taken all of it. */
async function compress(compressor: Compressor, loan: Loan): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      compressor.write(loan.bytes, error => (error ? reject(error) : resolve()));
    });
  } finally {
    loan.release();
  }
}
