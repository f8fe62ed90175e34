import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Credentials, SigningKeys } from '../../src/s3/sigv4-keys.ts';
import { signRequest } from '../../src/s3/sigv4-sign.ts';
import { type Content, pieces } from '../support/stand-in/content.ts';
import { mebibyte } from './lab.ts';
import type { Upload } from './sender.ts';

/** As long as the gateway's own chunks, so that a store gets the same bytes with and without it. */
const chunkBytes = mebibyte;

/** One way of sending an object. */
export interface UploadBody {
  readonly name: string;
  /** What the signature says of the payload. */
  readonly payloadHash: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: () => Iterable<Uint8Array>;
  /** Of all that goes over the wire. */
  readonly lengthBytes: number;
  readonly checksum: number;
}

/** What a client may declare of `content`: nothing, a CRC32 behind it, or its hash before it. */
export function uploadBodies(content: Content): readonly UploadBody[] {
  const plain = () => pieces(content, 0, content.sizeBytes, chunkBytes);
  const sha256 = createHash('sha256');
  for (const piece of plain()) sha256.update(piece);
  const inTrailer = {
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': String(content.sizeBytes),
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };
  const trailer = trailerOf(plain());
  return [
    measured({ name: 'unsigned', payloadHash: 'UNSIGNED-PAYLOAD', headers: {}, pieces: plain }),
    measured({
      name: 'with CRC32 in a trailer',
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: inTrailer,
      pieces: () => chunks(content, trailer),
    }),
    measured({ name: 'with its hash signed', payloadHash: sha256.digest('hex'), headers: {}, pieces: plain }),
  ];
}

/** The request that sends `body` to `url`, signed. */
export function signedUpload(body: UploadBody, url: string, credentials: Credentials): Upload {
  const { host, pathname } = new URL(url);
  const { payloadHash, lengthBytes } = body;
  const headers = Object.entries(body.headers);
  const added = signRequest(
    { method: 'PUT', host, rawPath: pathname, rawQuery: '', headers, payloadHash },
    {
      ...{ credentials, region: 'us-east-1', headerPrefix: 'x-amz-' },
      ...{ nowMs: Date.now(), keys: new SigningKeys() },
    },
  );
  return { headers: Object.fromEntries([...headers, ...added]), lengthBytes, pieces: body.pieces };
}

function measured(body: Omit<UploadBody, 'lengthBytes' | 'checksum'>): UploadBody {
  let [lengthBytes, checksum] = [0, 0];
  for (const piece of body.pieces()) {
    lengthBytes += piece.length;
    checksum = crc32(piece, checksum);
  }
  return { ...body, lengthBytes, checksum };
}

function trailerOf(content: Iterable<Uint8Array>): string {
  let checksum = 0;
  for (const piece of content) checksum = crc32(piece, checksum);
  const value = Buffer.alloc(4);
  value.writeUInt32BE(checksum);
  return value.toString('base64');
}

function* chunks(content: Content, trailer: string): Generator<Uint8Array> {
  for (let at = 0; at < content.sizeBytes; at += chunkBytes) {
    const lengthBytes = Math.min(chunkBytes, content.sizeBytes - at);
    yield Buffer.from(`${lengthBytes.toString(16)}\r\n`);
    yield* pieces(content, at, lengthBytes);
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`0\r\nx-amz-checksum-crc32:${trailer}\r\n\r\n`);
}
