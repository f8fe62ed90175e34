import { attach } from '../../base/attach.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { isInNotModified } from '../../http/not-modified-fields.ts';
import { targetedFields } from '../../http/targeted-cache-control.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { lengthHeader } from '../reply/object-headers.ts';
import { PreparedHeaders } from '../reply/prepared-headers.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import type { KeyRules } from '../request/key-rules.ts';
import { VIA } from './outgoing-fields.ts';

/** The prefix of the gateway's own ids in answers of web origins. */
const ID_PREFIX = 'x-store-';

export interface PreparedAnswer {
  readonly whole: PreparedHeaders;
  /** Without the fields that depend on the range. */
  readonly part: PreparedHeaders;
  readonly notModified: PreparedHeaders;
}

const PREPARED = Symbol('prepared');

/** They go with their record. */
type PreparedRecord = ReadableRecord & {
  readonly [PREPARED]?: { readonly answer: PreparedAnswer; readonly rules: KeyRules };
};

/** The headers of a stored answer, prepared once per record. A reload may have brought other rules since the last time. */
export function headersOfStored(record: PreparedRecord, rules: KeyRules): PreparedAnswer {
  const known = record[PREPARED];
  if (known?.rules === rules) return known.answer;
  return attach(record, PREPARED, { answer: prepare(record, record.fields, rules), rules }).answer;
}

/** @param fields those that are stored, or all that the origin has just sent, for the client that was first */
export function prepare(
  record: ReadableRecord,
  fields: readonly HeaderField[],
  { cache: policy, answers }: KeyRules,
): PreparedAnswer {
  const status = record.answer?.status ?? 200;
  const shown = fields.filter(({ name }) => name !== 'content-length' && name !== 'x-cache');
  // digests of the bytes that came with them (RFC 9530 §2): stored are those of the whole alone
  const isOfWhole = (name: string) => record.fields.some(field => field.name === name);
  const raw = rawFields(
    shown.filter(({ name }) => !contentDigests.has(name) || isOfWhole(name)),
    policy,
  );
  const rawOfPart = rawFields(
    shown.filter(({ name }) => name !== 'content-range' && !(contentDigests.has(name) && isOfWhole(name))),
    policy,
  );
  const has = (name: string) => fields.some(field => field.name === name);
  const ranges = status === 200 && !has('accept-ranges') ? ['accept-ranges', 'bytes'] : [];
  const kept = rawFields(
    shown.filter(({ name }) => isInNotModified(name)),
    policy,
  );
  const prepared = (fixed: readonly string[], as = status) =>
    PreparedHeaders.of(answers?.applied(fixed, as) ?? fixed, ID_PREFIX);
  // RFC 9110 §8.6: a 204 has no length
  const length = status === 204 ? [] : lengthHeader(record.sizeBytes);
  return {
    whole: prepared([...raw, ...ranges, ...length]),
    part: prepared([...rawOfPart, ...ranges]),
    notModified: prepared(kept, 304),
  };
}

/** The fields of an answer as they are sent: its Date is written apart. */
export function rawFields(
  fields: readonly HeaderField[],
  { targetedCacheControl }: Pick<CachePolicy, 'targetedCacheControl'>,
): string[] {
  const isLeftOut = (name: string) =>
    name === 'date' || (targetedCacheControl === 'strip' && targetedFields.has(name));
  const raw = fields.flatMap(({ name, value }) => (isLeftOut(name) ? [] : [name, value]));
  raw.push('via', VIA);
  return raw;
}
