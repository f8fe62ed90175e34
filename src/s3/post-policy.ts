import { s3Error } from './error.ts';

/** A condition of a policy: on a field of the form, or on the length of the file. */
type Condition =
  | {
      readonly kind: 'eq' | 'starts-with';
      /** In lower case. */
      readonly field: string;
      readonly value: string;
      /** As the policy has it, for errors. */
      readonly text: string;
    }
  | { readonly kind: 'content-length-range'; readonly min: number; readonly max: number };

/** What a signed form allows (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html). */
interface PostPolicy {
  readonly expiresMs: number;
  readonly conditions: readonly Condition[];
}

/** A form that a policy is to allow. */
interface PostedForm {
  readonly bucket: string;
  /** With the name of the file in it. */
  readonly key: string;
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly lengthBytes: number;
}

/** @throws S3Error InvalidPolicyDocument */
export function parsePostPolicy(base64: string): PostPolicy {
  const document = jsonOf(base64);
  if (!isRecord(document)) throw invalid('Invalid JSON.');
  const { expiration, conditions, ...others } = document;
  const [unexpected] = Object.keys(others);
  if (expiration === undefined) throw invalid('Policy missing expiration.');
  if (conditions === undefined) throw invalid('Policy missing conditions.');
  if (unexpected !== undefined) throw invalid(`Unexpected: "${unexpected}"`);
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.");
  return { expiresMs: expirationOf(expiration), conditions: conditions.map(conditionOf) };
}

/**
 * Refuses a form that its policy does not allow. Each field must be named in a condition, so that nobody adds to the
 * form what its maker has not thought of.
 *
 * @throws S3Error AccessDenied, EntityTooLarge, EntityTooSmall
 */
export function requirePolicy({ expiresMs, conditions }: PostPolicy, form: PostedForm, nowMs: number): void {
  if (nowMs > expiresMs) throw denied('Policy expired.');
  const named = new Set(conditions.map(each => (each.kind === 'content-length-range' ? '' : each.field)));
  for (const field of ['bucket', ...form.fields.keys()])
    if (!needsNoCondition(field) && !named.has(field)) throw denied(`Extra input fields: ${field}`);
  for (const condition of conditions) requireCondition(condition, form);
}

function requireCondition(condition: Condition, form: PostedForm): void {
  if (condition.kind === 'content-length-range') {
    requireLength(condition, form.lengthBytes);
    return;
  }
  const { kind, field, value, text } = condition;
  const given = givenIn(form, field);
  const isMet = given !== undefined && (kind === 'eq' ? given === value : startsWith(field, given, value));
  if (!isMet) throw denied(`Policy Condition failed: ${text}`);
}

function requireLength(
  { min, max }: { readonly min: number; readonly max: number },
  lengthBytes: number,
): void {
  const proposed = ['ProposedSize', String(lengthBytes)] as const;
  if (lengthBytes > max)
    throw s3Error('EntityTooLarge', { fields: [proposed, ['MaxSizeAllowed', String(max)]] });
  if (lengthBytes < min)
    throw s3Error('EntityTooSmall', { fields: [proposed, ['MinSizeAllowed', String(min)]] });
}

function givenIn({ bucket, key, fields }: PostedForm, field: string): string | undefined {
  if (field === 'bucket') return bucket;
  return field === 'key' ? key : fields.get(field);
}

/** A form may have hundreds of conditions, of which each looks at all of a list: longer ones meet none. */
const LONGEST_CONTENT_TYPE = 1_024;

/** A content type may be a list, of which each has to begin so. */
function startsWith(field: string, given: string, value: string): boolean {
  if (field === 'content-type' && given.length > LONGEST_CONTENT_TYPE) return false;
  const all = field === 'content-type' ? given.split(',').map(each => each.trim()) : [given];
  return all.every(each => each.startsWith(value));
}

function needsNoCondition(field: string): boolean {
  return ['file', 'policy'].includes(field) || /^x-(?:ignore-|(?:amz|store)-signature$)/.test(field);
}

/** There are two at most (RFC 4648 §4), and a text of nothing else is searched once. */
function unpadded(base64: string): string {
  return base64.replace(/={1,2}$/, '');
}

function jsonOf(base64: string): unknown {
  const text = base64.trim();
  if (text === '') throw invalid("Expecting '{' but found End-of-Input");
  const bytes = Buffer.from(text, 'base64');
  if (unpadded(bytes.toString('base64')) !== unpadded(text)) throw invalid('invalid Base64 encoding.');
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw invalid('Invalid JSON.');
  }
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function expirationOf(value: unknown): number {
  if (typeof value !== 'string') throw invalid('Invalid JSON.');
  const expiresMs = isoTime.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(expiresMs)) throw invalid(`Invalid 'expiration' value: '${value}'`);
  return expiresMs;
}

function conditionOf(raw: unknown): Condition {
  if (Array.isArray(raw)) return operationOf(raw);
  if (!isRecord(raw)) throw invalid('Invalid condition test: must be a List or Object.');
  const [pair, ...more] = Object.entries(raw);
  if (!pair || more.length > 0)
    throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
  const [field, value] = pair;
  if (typeof value !== 'string') throw invalid('Invalid Simple-Condition: value must be a string.');
  return { kind: 'eq', field: field.toLowerCase(), value, text: `["eq", "$${field}", "${value}"]` };
}

function operationOf(list: readonly unknown[]): Condition {
  const [kind, first, second] = list;
  if (list.length === 0) throw invalid('Invalid Condition: missing operation identifier.');
  if (typeof kind !== 'string') throw invalid('Invalid JSON.');
  if (kind !== 'eq' && kind !== 'starts-with' && kind !== 'content-length-range')
    throw invalid(`Invalid Condition: unknown operation '${kind}'.`);
  if (list.length !== 3) throw invalid(`Invalid ${kind}: wrong number of arguments.`);
  if (kind === 'content-length-range') return { kind, min: integerOf(first), max: integerOf(second) };
  const value = typeof second === 'number' ? String(second) : second;
  if (typeof first !== 'string' || typeof value !== 'string') throw invalid('Invalid JSON.');
  const text = JSON.stringify(list);
  if (!/^\$./.test(first)) throw denied(`Policy Condition failed: ${text}`);
  return { kind, field: first.slice(1).toLowerCase(), value, text };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function integerOf(value: unknown): number {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw invalid('Invalid JSON.');
  return number;
}

function invalid(detail: string) {
  return s3Error('InvalidPolicyDocument', { message: `Invalid Policy: ${detail}` });
}

function denied(detail: string) {
  return s3Error('AccessDenied', { message: `Invalid according to Policy: ${detail}` });
}
