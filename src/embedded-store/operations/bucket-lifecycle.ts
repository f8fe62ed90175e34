import { z } from 'zod';
import type { LifecycleRule } from '../disk/buckets.ts';
import { formatIsoDate, parseIsoDate } from '../protocol/dates.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { emptyElement, parseXml, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

const tag = z.object({ Key: z.string(), Value: z.string() });
const criteria = z.object({ Prefix: z.string().optional(), Tag: z.array(tag).optional() });
const ruleSchema = z.object({
  ID: z.string().optional(),
  Status: z.enum(['Enabled', 'Disabled']),
  Prefix: z.string().optional(),
  Filter: emptyElement.or(criteria.extend({ And: criteria.optional() })).optional(),
  Expiration: z
    .object({
      Days: z
        .string()
        .regex(/^[1-9]\d*$/)
        .optional(),
      Date: z.string().optional(),
    })
    .optional(),
});
type RuleElement = z.infer<typeof ruleSchema>;

const form = {
  root: 'LifecycleConfiguration',
  repeated: ['Rule', 'Tag'],
  schema: z.object({ Rule: z.array(ruleSchema) }),
};

/**
 * PutBucketLifecycleConfiguration: only enabled rules that expire current versions are kept; they are shown on objects.
 */
export async function putLifecycle(call: BucketCall): Promise<OperationAnswer> {
  const { Rule } = parseXml(await receiveDocument(call), form);
  const lifecycle = Rule.flatMap((element, index) => ruleOf(element, `rule-${index + 1}`));
  call.store.buckets.change(call.bucket, { lifecycle });
  return { status: 200 };
}

export function getLifecycle({ bucket }: BucketCall): OperationAnswer {
  const { lifecycle } = bucket.settings;
  if (lifecycle.length === 0) {
    throw new OperationError('NoSuchLifecycleConfiguration', { fields: { BucketName: bucket.name } });
  }
  const Rule = lifecycle.map(({ id, prefix, tags, expiry }) => ({
    ID: id,
    Filter: { And: { Prefix: prefix, Tag: tags.map(([Key, Value]) => ({ Key, Value })) } },
    Status: 'Enabled',
    Expiration: 'days' in expiry ? { Days: expiry.days } : { Date: formatIsoDate(expiry.atMs) },
  }));
  return { status: 200, body: xmlResult('LifecycleConfiguration', { Rule }) };
}

export function deleteLifecycle({ store, bucket }: BucketCall): OperationAnswer {
  store.buckets.change(bucket, { lifecycle: [] });
  return { status: 204 };
}

function ruleOf(
  { ID, Status, Prefix, Filter = {}, Expiration }: RuleElement,
  defaultId: string,
): LifecycleRule[] {
  const expiry = expiryOf(Expiration);
  if (Status === 'Disabled' || !expiry) return [];
  const wanted = 'And' in Filter && Filter.And ? Filter.And : criteria.parse(Filter);
  const tags = (wanted.Tag ?? []).map(({ Key, Value }): [string, string] => [Key, Value]);
  return [{ id: ID ?? defaultId, prefix: wanted.Prefix ?? Prefix ?? '', tags, expiry }];
}

function expiryOf(expiration: RuleElement['Expiration']): LifecycleRule['expiry'] | undefined {
  if (expiration?.Days !== undefined) return { days: Number(expiration.Days) };
  if (expiration?.Date === undefined) return undefined;
  const atMs = parseIsoDate(expiration.Date);
  if (atMs === undefined) throw new OperationError('MalformedXML');
  return { atMs };
}
