import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeAwsChunked } from '../../src/embedded-store/protocol/aws-chunked.ts';

/** The stream in pieces of `size` bytes. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(bytes: Buffer, size: number) {
  const trailers: [string, string][] = [];
  const chunks: Uint8Array[] = [];
  const onTrailer = (name: string, value: string) => void trailers.push([name, value]);
  for await (const chunk of decodeAwsChunked(inPieces(bytes, size), { onTrailer })) chunks.push(chunk);
  return { content: Buffer.concat(chunks), trailers };
}

function encode(chunks: readonly Uint8Array[], trailer: string): Buffer {
  const framed = chunks.flatMap(chunk => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...framed, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { maxLength: 5 });

it('gives the content and the trailers, wherever the network cuts the stream', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.integer({ min: 1, max: 40 }), async (parts, size) => {
      const { content, trailers } = await decode(encode(parts, 'X-Amz-Checksum-Crc32: abc=\r\n'), size);
      expect(content).toEqual(Buffer.concat(parts));
      expect(trailers).toEqual([['x-amz-checksum-crc32', 'abc=']]);
    }),
  );
});

it('takes no beginning of a stream for the whole', async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(), async (parts, seed) => {
      const whole = encode(parts, '');
      const cut = whole.subarray(0, seed % whole.length);
      await expect(decode(cut, 10)).rejects.toMatchObject({ code: 'IncompleteBody' });
    }),
  );
});

it.each(['nonsense\r\n', '-1\r\n', '5;chunk-signature=abc\r\nhello\r\n', `${'1'.repeat(20_000)}\r\n`])(
  'refuses the head %j of a chunk',
  async head => {
    await expect(decode(Buffer.from(head), 100)).rejects.toMatchObject({ code: 'IncompleteBody' });
  },
);
