import { z } from 'zod';
import type { Catalogue, CatalogueRow } from './catalogue.ts';
import { cannedAcls } from './object-attributes.ts';

const corsRuleSchema = z.object({
  id: z.string().optional(),
  allowedOrigins: z.array(z.string()),
  allowedMethods: z.array(z.string()),
  allowedHeaders: z.array(z.string()),
  exposeHeaders: z.array(z.string()),
  maxAgeS: z.number().optional(),
});
export type CorsRule = z.infer<typeof corsRuleSchema>;

const lifecycleRuleSchema = z.object({
  id: z.string(),
  prefix: z.string(),
  tags: z.array(z.tuple([z.string(), z.string()])),
  expiry: z.union([z.object({ days: z.number() }), z.object({ atMs: z.number() })]),
});
export type LifecycleRule = z.infer<typeof lifecycleRuleSchema>;

const bucketSettingsSchema = z.object({
  ownerId: z.string(),
  acl: z.enum(cannedAcls),
  versioning: z.enum(['never', 'enabled', 'suspended']),
  payer: z.enum(['BucketOwner', 'Requester']),
  isLockEnabled: z.boolean(),
  cors: z.array(corsRuleSchema),
  lifecycle: z.array(lifecycleRuleSchema),
});
type BucketSettings = z.infer<typeof bucketSettingsSchema>;

export interface StoredBucket {
  readonly name: string;
  readonly createdMs: number;
  readonly settings: Readonly<BucketSettings>;
}

/** The buckets in the catalogue. */
export class Buckets {
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Returns false when the name is taken. */
  create(bucket: StoredBucket): boolean {
    if (this.find(bucket.name)) return false;
    this.#catalogue.run(
      'INSERT INTO buckets (name, created_ms, settings) VALUES (?, ?, ?)',
      bucket.name,
      bucket.createdMs,
      JSON.stringify(bucket.settings),
    );
    return true;
  }

  find(name: string): StoredBucket | undefined {
    const row = this.#catalogue.get('SELECT * FROM buckets WHERE name = ?', name);
    return row && bucketOf(row);
  }

  /** All buckets, sorted by name. */
  list(): StoredBucket[] {
    return this.#catalogue.all('SELECT * FROM buckets ORDER BY name').map(bucketOf);
  }

  change(bucket: StoredBucket, changes: Partial<BucketSettings>): void {
    this.#catalogue.run(
      'UPDATE buckets SET settings = ? WHERE name = ?',
      JSON.stringify({ ...bucket.settings, ...changes }),
      bucket.name,
    );
  }

  /** Returns false unless the bucket is empty: without versions, markers and uploads. */
  remove(name: string): boolean {
    const { count } = this.#catalogue.get(
      `SELECT (SELECT count(*) FROM versions WHERE bucket = ?1)
            + (SELECT count(*) FROM uploads WHERE bucket = ?1) AS count`,
      name,
    ) ?? { count: 0 };
    if (count !== 0) return false;
    this.#catalogue.deletion(() => this.#catalogue.run('DELETE FROM buckets WHERE name = ?', name));
    return true;
  }
}

const rowSchema = z.object({ name: z.string(), created_ms: z.number(), settings: z.string() });

function bucketOf(row: CatalogueRow): StoredBucket {
  const { name, created_ms: createdMs, settings } = rowSchema.parse(row);
  return { name, createdMs, settings: bucketSettingsSchema.parse(JSON.parse(settings)) };
}
