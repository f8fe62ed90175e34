import { createHash } from 'node:crypto';
import type { RequestKey } from '../protocol/customer-key.ts';
import { sampleBytes } from './sample-content.ts';
import type { SampleObject } from './store-sample.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const BINARY = 'application/octet-stream';
const TEXT = 'text/plain; charset=utf-8';

/** The key of `sealed.bin`. It protects only a sample and must be the same at every start. */
export const sampleCustomerKey: RequestKey = customerKey('tidegate sample: sealed.bin');

/** Objects with a single version, one for each state of reading (docs/architecture.md, The sample bucket). */
export function sampleObjects(): SampleObject[] {
  const archived = { contentType: BINARY, storageClass: 'GLACIER' } as const;
  return [
    { key: 'hello.txt', contentType: TEXT, parts: [[Buffer.from('Hello from the embedded store.\n')]] },
    { key: 'empty.bin', contentType: BINARY, parts: [[]] },
    { key: 'video.bin', contentType: BINARY, parts: partsOf('video.bin', Array(5).fill(8 * MIB)) },
    { key: 'parts.bin', contentType: BINARY, parts: partsOf('parts.bin', [5 * MIB + 1, 6 * MIB, 1000]) },
    { key: 'archive.bin', ...archived, parts: partsOf('archive.bin', [256 * KIB]) },
    { key: 'restored.bin', ...archived, parts: partsOf('restored.bin', [256 * KIB]) },
    {
      key: 'tiered.bin',
      contentType: BINARY,
      storageClass: 'INTELLIGENT_TIERING',
      parts: partsOf('tiered.bin', [256 * KIB]),
      attributes: { accessTier: 'DEEP_ARCHIVE_ACCESS' },
    },
    {
      key: 'sealed.bin',
      contentType: BINARY,
      parts: partsOf('sealed.bin', [256 * KIB]),
      customerKey: sampleCustomerKey,
    },
    {
      key: 'private/report.txt',
      contentType: TEXT,
      parts: [[Buffer.from('For those who may.\n')]],
      attributes: { acl: 'private' },
    },
  ];
}

/** The versions of `versions.txt`, oldest first. */
export function sampleVersions(): SampleObject[] {
  return ['first', 'second', 'third'].map(which => ({
    key: 'versions.txt',
    contentType: TEXT,
    parts: [[Buffer.from(`The ${which} version.\n`)]],
  }));
}

/** The version below the delete marker of `gone.txt`. */
export function goneSample(): SampleObject {
  return { key: 'gone.txt', contentType: TEXT, parts: [[Buffer.from('Deleted, yet still a version.\n')]] };
}

function partsOf(name: string, sizes: readonly number[]): Iterable<Uint8Array>[] {
  return sizes.map((size, index) => sampleBytes(`${name} ${index + 1}`, size));
}

function customerKey(seed: string): RequestKey {
  const key = createHash('sha256').update(seed).digest();
  return { key, md5: createHash('md5').update(key).digest('base64') };
}
