import { createHash, createHmac } from 'node:crypto';
import { type Credentials, SigningKeys } from '../../src/s3/sigv4-keys.ts';
import { signRequest } from '../../src/s3/sigv4-sign.ts';
import type { RawRequest } from './raw-request.ts';

interface ChunkSigner {
  readonly credentials: Credentials;
  readonly nowMs: number;
  /** Whether the last chunk is changed after it was signed. */
  readonly spoil?: boolean;
}

/** An upload in signed chunks, as AWS Signature Version 4 describes it. */
export function signedChunks(
  origin: string,
  path: string,
  chunks: readonly string[],
  { credentials, nowMs, spoil = false }: ChunkSigner,
): RawRequest & { readonly body: string } {
  const keys = new SigningKeys();
  const size = String(chunks.join('').length);
  const added = signRequest(
    {
      method: 'PUT',
      host: new URL(origin).host,
      rawPath: path,
      rawQuery: '',
      headers: [['x-amz-decoded-content-length', size]],
      payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    },
    { credentials, region: 'us-east-1', headerPrefix: 'x-amz-', nowMs, keys },
  );
  const headers: Record<string, string> = {
    'x-amz-decoded-content-length': size,
    ...Object.fromEntries(added),
  };
  const { 'x-amz-date': timestamp = '', authorization = '' } = headers;
  const scope = { date: timestamp.slice(0, 8), region: 'us-east-1', service: 's3' };
  const key = keys.keyFor(credentials, scope);
  const hash = (content: string) => createHash('sha256').update(content).digest('hex');
  let previous = authorization.split('Signature=')[1] ?? '';
  let body = '';
  for (const chunk of [...chunks, '']) {
    const lines = [
      'AWS4-HMAC-SHA256-PAYLOAD',
      timestamp,
      `${scope.date}/us-east-1/s3/aws4_request`,
      previous,
      hash(''),
      hash(chunk),
    ];
    previous = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
    const sent = spoil && chunk === chunks.at(-1) ? chunk.toUpperCase() : chunk;
    body += `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${sent}\r\n`;
  }
  return { method: 'PUT', path, headers, body };
}
