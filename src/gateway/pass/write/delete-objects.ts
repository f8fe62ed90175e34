import { createHash } from 'node:crypto';
import type { StoreRequest, WholeReply } from '../../../backend/store.ts';
import type { Steps } from '../../../base/sliced-work.ts';
import type { OpenWrite } from '../../../cache/open-writes.ts';
import { uncodedTags } from '../../../http/content-coding.ts';
import { actionOf } from '../../../s3/action.ts';
import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import {
  DELETE_LIST_LIMIT_BYTES,
  type DeleteList,
  formatDeleteList,
  type ObjectToDelete,
  readDeleteList,
} from '../../../s3/delete-list.ts';
import type { HeaderField } from '../../../s3/dialect.ts';
import { S3Error, s3Error } from '../../../s3/error.ts';
import { errorCodes, isErrorCode } from '../../../s3/error-codes.ts';
import { errorTexts } from '../../../s3/error-texts.ts';
import { requireActionsOfFields } from '../../../s3/field-actions.ts';
import {
  DELETE_RESULT_LIMIT_BYTES,
  type DeletedObject,
  formatDeleteResult,
  readDeleteResult,
} from '../../../s3/listing/delete-result.ts';
import { InvalidListError } from '../../../s3/listing/listing-xml.ts';
import { requireId } from '../../../s3/store-id.ts';
import { isRefusal, refusedBy } from '../../fill/fill-error.ts';
import { inClientNames } from '../../reply/client-names.ts';
import { noGrant, untoldAbsence } from '../../request/access.ts';
import { type Bucket, objectKeyOf } from '../../request/bucket.ts';
import { bypassed } from '../../request/cache-status.ts';
import { requireObject } from '../../request/locate.ts';
import { mayBeMade } from '../../request/made-tags.ts';
import { DocumentJob } from '../document-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest, storeFieldsOf } from '../passed-request.ts';
import { declaredOf } from './pass-write.ts';
import { StoreWrite } from './store-write.ts';
import { readWhole } from './whole-body.ts';

/**
 * Answers DeleteObjects. Each key is judged for itself, and those that the caller may not delete come back as errors
 * inside the answer, as stores do it. The store is asked for the others, in a body of the gateway's own.
 *
 * @throws S3Error AccessDenied for a caller without a signature who may delete nothing; those of `declaredPayload` and
 * `passedRequest`; MalformedXML for a body that is too large; InvalidRequest for one without MD5 and checksum;
 * TooManyRequestsError
 */
export function deleteObjects(other: OtherOperation): void {
  const { exchange, caller } = other;
  if (caller.kind === 'anonymous' && !mayDeleteSome(other)) throw noGrant('DeleteObject');
  const passed = passedRequest(other);
  const declared = declaredOf(other, storeFieldsOf(other));
  if (declared.lengthBytes > DELETE_LIST_LIMIT_BYTES)
    throw s3Error('MalformedXML', { reason: 'the body is too long' });
  // a list that was changed on its way would delete other keys
  if (!declared.md5 && !declared.checksum)
    throw s3Error('InvalidRequest', { message: errorTexts.digestMissing });
  exchange.report = bypassed(exchange.method, 'operation');
  const job = new DocumentJob(other);
  const sent = answerOf(other, job, declared, passed).then(page => job.send(page));
  job.finish(sent, true);
}

function mayDeleteSome({ permissions }: OtherOperation): boolean {
  return ['DeleteObject', 'DeleteObjectVersion'].some(
    action => permissions.shareBelow(action, '') !== 'none',
  );
}

async function answerOf(
  other: OtherOperation,
  job: DocumentJob,
  declared: DeclaredPayload,
  passed: StoreRequest,
): Promise<WholeReply> {
  const { exchange, bucket } = other;
  job.keep(declared.lengthBytes);
  const body = await readWhole(other, declared);
  const { allowed, refused } = await job.read(judged(other, body), () => body.length);
  exchange.refusedKeys = refused.length || undefined;
  const head = { status: 200, fields: [xml] };
  // what an empty list means is the store's to say
  if (allowed.objects.length === 0 && refused.length > 0)
    return { ...head, body: await job.write(formatDeleteResult(refused)) };
  const deletions = open(other, allowed);
  const reply = await job.ask(
    {
      send: (toSend, receiver) =>
        StoreWrite.send(exchange, {
          store: bucket.store,
          request: toSend,
          open: deletions,
          receiver,
          resultLimitBytes: DELETE_RESULT_LIMIT_BYTES,
        }),
    },
    withList(passed, allowed, bucket),
    DELETE_RESULT_LIMIT_BYTES,
  );
  if (reply.status !== 200) {
    if (!isRefusal(reply.status)) deletions.unsettled();
    throw refusedBy(reply);
  }
  const results = await resultsOf(job, reply, deletions);
  const told = results.map(result => resultForClient(result, other));
  const failed = told.filter(({ kind }) => kind === 'Error').length + refused.length;
  exchange.refusedKeys = failed || undefined;
  return { ...reply, body: await job.write(formatDeleteResult([...told, ...refused])) };
}

/** What became of each deletion. Those that failed at the store may be carried out later. */
async function resultsOf(
  job: DocumentJob,
  { body }: WholeReply,
  deletions: OpenWrite,
): Promise<readonly DeletedObject[]> {
  let isDecided = false;
  try {
    const results = await job.read(readDeleteResult(body), () => body.length);
    isDecided = results.every(result => result.kind === 'Deleted' || isDecision(result));
    return results;
  } finally {
    if (!isDecided) deletions.unsettled();
  }
}

function isDecision({ elements }: DeletedObject): boolean {
  const code = new Map(elements).get('Code') ?? '';
  return isErrorCode(code) && errorCodes[code].status < 500;
}

const xml: HeaderField = { name: 'content-type', value: 'application/xml', store: false };

interface Judged {
  readonly allowed: DeleteList;
  readonly refused: readonly DeletedObject[];
}

/** Keys that are judged in one step. */
const KEYS_PER_STEP = 20;

function* judged(other: OtherOperation, body: Buffer): Steps<Judged> {
  const { objects, isQuiet } = yield* readDeleteList(body);
  const storeFields = storeFieldsOf(other);
  const allowed: ObjectToDelete[] = [];
  const refused: DeletedObject[] = [];
  for (const [index, object] of objects.entries()) {
    const refusal = refusalOf(other, storeFields, object);
    if (refusal) refused.push(asResult(object, refusal));
    else allowed.push(withKnownTag(object, other.bucket));
    if (index % KEYS_PER_STEP === 0) yield;
  }
  return { allowed: { objects: allowed, isQuiet }, refused };
}

/** The store knows no tags of what is made here of the object. */
function withKnownTag(object: ObjectToDelete, bucket: Bucket): ObjectToDelete {
  if (!mayBeMade(bucket.rulesFor(object.key))) return object;
  const conditions = object.conditions.map(
    ([name, value]) => [name, name === 'ETag' ? uncodedTags(value) : value] as const,
  );
  return { ...object, conditions };
}

function refusalOf(
  { bucket, permissions }: OtherOperation,
  storeFields: ReadonlyMap<string, string>,
  { key, versionId }: ObjectToDelete,
): S3Error | undefined {
  try {
    requireObject(bucket, key);
    if (versionId === '') throw s3Error('InvalidArgument', { message: errorTexts.versionIdEmpty });
    if (versionId !== undefined) requireId(bucket.keys, versionId, 'VersionId');
    permissions.require(actionOf('DeleteObject', versionId), key);
    requireActionsOfFields(storeFields, action => permissions.require(action, key));
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

function asResult({ key, versionId }: ObjectToDelete, { code, message }: S3Error): DeletedObject {
  const ofVersion: [string, string][] = versionId === undefined ? [] : [['VersionId', versionId]];
  return { kind: 'Error', key, elements: [...ofVersion, ['Code', code], ['Message', message]] };
}

/** The gateway's own body, whose MD5 every store takes. */
function withList(passed: StoreRequest, list: DeleteList, { keyPrefix }: Bucket): StoreRequest {
  const objects = list.objects.map(object => ({ ...object, key: keyPrefix + object.key }));
  const body = formatDeleteList({ ...list, objects });
  const md5 = { name: 'content-md5', value: createHash('md5').update(body).digest('base64'), store: false };
  return { ...passed, fields: [...passed.fields, xml, md5], body };
}

/** The writes to all keys of a list. */
function open({ bucket, writes }: OtherOperation, { objects }: DeleteList): OpenWrite {
  const all = objects.map(({ key }) => writes.begin(objectKeyOf(bucket, key).keySlot));
  return {
    answered: () => {
      for (const each of all) each.answered();
    },
    refused: () => {
      for (const each of all) each.refused();
    },
    unsettled: () => {
      for (const each of all) each.unsettled();
    },
    over: () => {
      for (const each of all) each.over();
    },
  };
}

const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'NoSuchVersion']);

/** Who may not list is not told that a key is missing (docs/semantics.md, Authentication 4). */
function resultForClient(
  { kind, key, elements }: DeletedObject,
  { bucket, permissions }: OtherOperation,
): DeletedObject {
  const { keyPrefix } = bucket;
  if (!key.startsWith(keyPrefix)) throw new InvalidListError('a result is of another bucket');
  const own = key.slice(keyPrefix.length);
  if (kind === 'Deleted') return { kind, key: own, elements };
  const values = new Map(elements);
  const said = {
    code: values.get('Code') ?? 'InternalError',
    message: values.get('Message') ?? '',
    fields: [],
  };
  const isHidden = missing.has(said.code) && !permissions.allows('ListBucket', own);
  const { code, message } = isHidden ? untoldAbsence() : inClientNames(said, bucket);
  return {
    kind,
    key: own,
    elements: [...elements.filter(([name]) => name === 'VersionId'), ['Code', code], ['Message', message]],
  };
}
