import { z } from 'zod';
import { checksumAlgorithms } from '../checksum/checksum-algorithm.ts';

/** docs/semantics.md, States and transitions. */
export const storageClasses = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'OUTPOSTS',
  'GLACIER_IR',
] as const;
export const accessTiers = ['ARCHIVE_ACCESS', 'DEEP_ARCHIVE_ACCESS'] as const;
export const replicationStatuses = ['COMPLETE', 'COMPLETED', 'PENDING', 'FAILED', 'REPLICA'] as const;
export const lockModes = ['GOVERNANCE', 'COMPLIANCE'] as const;
export const legalHolds = ['ON', 'OFF'] as const;
export const kmsKeyStates = ['enabled', 'disabled', 'pending-deletion'] as const;

/** The canned ACLs that matter for the callers that this store distinguishes. */
export const cannedAcls = ['private', 'public-read', 'public-read-write', 'authenticated-read'] as const;
export type CannedAcl = (typeof cannedAcls)[number];

const encryptionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('managed') }),
  z.object({
    kind: z.literal('kms'),
    keyId: z.string(),
    isBucketKeyEnabled: z.boolean(),
    keyState: z.enum(kmsKeyStates),
  }),
  /** The key itself is never stored; the MAC recognises it. */
  z.object({ kind: z.literal('customer'), keyMd5: z.string(), salt: z.string(), mac: z.string() }),
]);
export type Encryption = z.infer<typeof encryptionSchema>;

const checksumSchema = z.object({
  algorithm: z.enum(checksumAlgorithms),
  /** As in the header: base64, with `-N` for a composite checksum (docs/semantics.md 50). */
  value: z.string(),
  type: z.enum(['FULL_OBJECT', 'COMPOSITE']),
});
export type StoredChecksum = z.infer<typeof checksumSchema>;

const tagsSchema = z.array(z.tuple([z.string(), z.string()]));

/** The stored attributes of an object, except its bytes, its identity and what listings show. */
export const objectAttributesSchema = z.object({
  /** `content-type`, `cache-control`, …: returned as stored. */
  contentHeaders: z.record(z.string(), z.string()),
  /** User metadata without its prefix, names in lower case. */
  metadata: z.array(z.tuple([z.string(), z.string()])),
  accessTier: z.enum(accessTiers).optional(),
  /** Without an expiry, the object stays restored permanently. */
  restore: z.object({ readyAtMs: z.number(), expiresAtMs: z.number().optional() }).optional(),
  encryption: encryptionSchema,
  checksum: checksumSchema.optional(),
  tags: tagsSchema.default([]),
  acl: z.enum(cannedAcls),
  retention: z.object({ mode: z.enum(lockModes), untilMs: z.number() }).optional(),
  legalHold: z.enum(legalHolds).optional(),
  replicationStatus: z.enum(replicationStatuses).optional(),
  websiteRedirect: z.string().optional(),
  /** Absent for an object that was not uploaded in parts. */
  partsCount: z.number().optional(),
});
export type ObjectAttributes = z.infer<typeof objectAttributesSchema>;
export type StorageClass = (typeof storageClasses)[number];
