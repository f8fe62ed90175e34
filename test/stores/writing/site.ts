import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { GatewayProcess } from '../../support/gateway-process.ts';
import { run } from '../../support/real-process.ts';
import { awsSigned, type Credentials } from '../clients.ts';
import type { RealStore } from '../real-store.ts';

const writer: Credentials = { accessKeyId: 'writer', secretAccessKey: 'writer-secret' };
const behind = { bucket: 'kept-elsewhere', keyPrefix: 'tenant/' };

/** The buckets that are written to: one as it is at the store, and one that has another name and a prefix there. */
export const buckets = ['plain', 'renamed'] as const;

export type BucketName = (typeof buckets)[number];

/** Where an object or a prefix of a bucket is at the store. */
function atStore(bucket: BucketName, key: string): { readonly bucket: string; readonly key: string } {
  return bucket === 'renamed' ? { bucket: behind.bucket, key: behind.keyPrefix + key } : { bucket, key };
}

/** An object as a listing shows it. */
interface Listed {
  readonly key: string;
  readonly sizeBytes: number | undefined;
  readonly entityTag: string | undefined;
}

/** A store, a gateway before it, one client who may do everything, and a folder for files. */
export class WriteSite {
  readonly gateway: GatewayProcess;
  readonly client = writer;
  /** The SDK for JavaScript at the gateway, and at the store itself. */
  readonly through: S3Client;
  readonly direct: S3Client;
  readonly #store: RealStore;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tidegate-written-'));

  private constructor(store: RealStore, direct: S3Client, gateway: GatewayProcess) {
    this.#store = store;
    this.gateway = gateway;
    this.direct = direct;
    this.through = sdk(gateway.url, this.client);
  }

  static async start(startStore: () => Promise<RealStore>): Promise<WriteSite> {
    const store = await startStore();
    try {
      const direct = sdk(store.directUrl, store.credentials);
      for (const Bucket of ['plain', behind.bucket]) await direct.send(new CreateBucketCommand({ Bucket }));
      return new WriteSite(store, direct, await startGateway(store));
    } catch (error) {
      await store.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.#store.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A place in the folder. */
  path(...names: readonly string[]): string {
    return join(this.#folder, ...names);
  }

  /** A folder that is there. */
  folder(...names: readonly string[]): string {
    const path = this.path(...names);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** The AWS command line at the gateway; what it printed. */
  aws(...args: readonly string[]): Promise<string> {
    return awsSigned(this.gateway.url, this.client, args);
  }

  /** A Python script of this folder at the gateway; the lines that it printed. */
  async python(script: string, bucket: BucketName): Promise<readonly string[]> {
    const said = await run('python3', [join(import.meta.dirname, script), this.gateway.url, bucket], {
      ownEnvironment: true,
      environment: {
        ...{ AWS_ACCESS_KEY_ID: this.client.accessKeyId, AWS_SECRET_ACCESS_KEY: this.client.secretAccessKey },
        ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
      },
    });
    return said.trim().split('\n');
  }

  /** The hash of an object as the gateway gives it, which is that of the store. */
  async hashOf(bucket: BucketName, key: string): Promise<string> {
    const place = atStore(bucket, key);
    const hash = await hashAt(this.direct, place.bucket, place.key);
    expect(await hashAt(this.through, bucket, key)).toBe(hash);
    return hash;
  }

  /**
   * Expects the objects below `prefix` to be `hashes`, by key without the prefix, at the store and through the gateway,
   * and the listings of both to say the same of them.
   */
  async expectHeld(
    bucket: BucketName,
    prefix: string,
    hashes: Readonly<Record<string, string>>,
  ): Promise<void> {
    const place = atStore(bucket, prefix);
    const listed = await list(this.direct, place.bucket, place.key);
    expect(await list(this.through, bucket, prefix)).toEqual(listed);
    expect(listed.map(({ key }) => key)).toEqual(Object.keys(hashes).toSorted());
    for (const [key, hash] of Object.entries(hashes))
      expect(await this.hashOf(bucket, prefix + key), key).toBe(hash);
  }
}

/** The hash of a file, or of bytes. */
export function sha256(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? readFileSync(content) : content;
  return createHash('sha256').update(bytes).digest('hex');
}

function sdk(endpoint: string, credentials: Credentials): S3Client {
  return new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    // the SDK writes into the object that it is given
    credentials: { ...credentials },
  });
}

function startGateway(store: RealStore): Promise<GatewayProcess> {
  const at = { backend: 'store', access: 'verify', cache: { ttl: '1h' } };
  // not by way of what notes requests: it takes none with a body
  const backend = { type: 's3', endpoint: store.directUrl, region: 'us-east-1', keys: 'path' };
  return GatewayProcess.start({
    backends: { store: { ...backend, credentials: store.credentials } },
    buckets: { plain: at, renamed: { ...at, ...behind } },
    clients: [{ ...writer, allow: [{ buckets, keys: ['**'], actions: ['*'] }] }],
    memory: '128MiB',
    workers: 2,
  });
}

async function hashAt(client: S3Client, Bucket: string, Key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return sha256((await Body?.transformToByteArray()) ?? new Uint8Array());
}

/** What is listed below a prefix, by keys without it. */
async function list(client: S3Client, Bucket: string, Prefix: string): Promise<readonly Listed[]> {
  const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
  expect(IsTruncated).toBe(false);
  return Contents.map(({ Key = '', Size, ETag }) => ({
    key: Key.slice(Prefix.length),
    sizeBytes: Size,
    entityTag: ETag,
  }));
}
