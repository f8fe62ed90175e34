import { createHash } from 'node:crypto';
import { ByteReader } from './byte-reader.ts';
import { OperationError } from './operation-error.ts';

const MAX_LINE_BYTES = 16 * 1024;

/** Verifies the signatures of a signed stream; each one includes the previous. */
export interface ChunkSignatures {
  /** @throws SignatureDoesNotMatch */
  checkChunk(contentSha256: string, signature: string | undefined): void;
  /** The same for the trailing headers, given as `name:value\n` each. */
  checkTrailer(trailerSha256: string, signature: string | undefined): void;
}

interface ChunkedOptions {
  /** Absent for unsigned streams. */
  readonly signatures?: ChunkSignatures | undefined;
  /** Called for each trailing header, with its name in lower case. */
  readonly onTrailer: (name: string, value: string) => void;
}

/**
 * Decodes a body in `aws-chunked` encoding: `<hex size>[;chunk-signature=…]` CRLF bytes CRLF, until a chunk of size 0,
 * then trailing headers.
 *
 * @throws IncompleteBody and errors of the signatures
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Uint8Array>,
  { signatures, onTrailer }: ChunkedOptions,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source);
  for (;;) {
    const { size, signature } = parseChunkHead(await reader.line(MAX_LINE_BYTES));
    const hash = signatures && createHash('sha256');
    for await (const bytes of reader.bytes(size)) {
      hash?.update(bytes);
      yield bytes;
    }
    if (hash) signatures?.checkChunk(hash.digest('hex'), signature);
    if (size === 0) break;
    await reader.line(2);
  }
  await readTrailers(reader, signatures, onTrailer);
}

async function readTrailers(
  reader: ByteReader,
  signatures: ChunkSignatures | undefined,
  onTrailer: ChunkedOptions['onTrailer'],
): Promise<void> {
  let signed = '';
  let signature: string | undefined;
  for (;;) {
    const line = await reader.line(MAX_LINE_BYTES);
    if (line === '') break;
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').trim();
    if (/^x-(?:amz|store)-trailer-signature$/i.test(name)) signature = value;
    else {
      signed += `${name.toLowerCase()}:${value}\n`;
      onTrailer(name.toLowerCase(), value);
    }
  }
  if (signed !== '') signatures?.checkTrailer(createHash('sha256').update(signed).digest('hex'), signature);
}

function parseChunkHead(line: string): { size: number; signature: string | undefined } {
  const match = /^([0-9a-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line);
  if (!match) throw new OperationError('IncompleteBody');
  return { size: Number.parseInt(match[1] ?? '', 16), signature: match[2] };
}
