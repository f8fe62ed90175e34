import type { Store, StoreRequest, WholeReply } from '../../../backend/store.ts';
import { parseContentLength } from '../../../http/content-length.ts';
import { shownKeyOf } from '../../../s3/claimed-access-key.ts';
import { readCustomerKey } from '../../../s3/customer-key.ts';
import { type DeclaredPayload, declaredPayload } from '../../../s3/declared-payload.ts';
import { S3Error, s3Error } from '../../../s3/error.ts';
import { requireActionsOfFields } from '../../../s3/field-actions.ts';
import { FORM_HEAD_LIMIT_BYTES } from '../../../s3/form-head.ts';
import { keyOfForm } from '../../../s3/form-key.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { parsePostPolicy, requirePolicy } from '../../../s3/post-policy.ts';
import { prefixOfForm } from '../../../s3/post-signature.ts';
import { clientAddressOf } from '../../../transport/peer.ts';
import { refusedBy } from '../../fill/fill-error.ts';
import { type Caller, Permissions } from '../../request/access.ts';
import { objectKeyOf, ruledFields } from '../../request/bucket.ts';
import { bypassed } from '../../request/cache-status.ts';
import { takesCustomerKeys } from '../../request/customer-keys.ts';
import { requireObject } from '../../request/locate.ts';
import { askedUrl } from '../asked-url.ts';
import { DocumentJob } from '../document-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { requireWithinLimit } from './body-limit.ts';
import { ClientBody } from './client-body.ts';
import { formAnswer } from './form-answer.ts';
import { type FormFields, readFormFields } from './form-fields.ts';
import { FormFile } from './form-file.ts';
import { refuseMisreadWrites } from './misread-writes.ts';
import { type ArrivingForm, readForm, SMALL_FORM_BYTES } from './posted-form.ts';
import { StoreWrite } from './store-write.ts';
import { paceOf } from './upload-pace.ts';

/**
 * Answers a form that is posted to a bucket: its policy, which the client has signed, is verified, and its file is sent
 * to the store as a PutObject with what its fields say.
 *
 * @throws S3Error MissingContentLength; EntityTooLarge; InvalidRequest for a signature that is not in the form; TooManyRequestsError
 */
export function postObject(other: OtherOperation): void {
  const { exchange, request, bucket, caller } = other;
  const lengthBytes = parseContentLength(request.headers['content-length']);
  if (lengthBytes === undefined) throw s3Error('MissingContentLength');
  if (caller.kind !== 'anonymous')
    throw s3Error('InvalidRequest', { message: 'A form is signed by its fields alone.' });
  // what is around the file is no longer than this
  requireWithinLimit(bucket, lengthBytes - FORM_HEAD_LIMIT_BYTES - FORM_END_LIMIT_BYTES);
  exchange.report = bypassed(exchange.method, 'operation');
  const job = new DocumentJob(other);
  job.keep(lengthBytes > SMALL_FORM_BYTES ? STREAMING_BYTES : lengthBytes);
  job.finish(
    answerOf(other, job, lengthBytes).then(page => job.send(page)),
    true,
  );
}

async function answerOf(other: OtherOperation, job: DocumentJob, lengthBytes: number): Promise<WholeReply> {
  const { exchange, fields, bucket, observer } = other;
  const form = await readForm(other, fields.contentType ?? '', lengthBytes);
  exchange.speak(prefixOfForm(form.fields));
  requireWithinLimit(bucket, form.lengthBytes);
  const key = keyOfForm(form.fields.get('key') ?? '', form.fileName);
  requireObject(bucket, key);
  exchange.formKey = key;
  const caller = callerOf(other, form);
  // counted for its address before
  observer.waitsForStore(exchange);
  const put = readFormFields(form.fields, caller.kind === 'anonymous');
  requireAllowed(other, caller, key, put);
  if (caller.kind === 'client') requireSigned(other, form, key);
  const reply = await askStore(other, job, form, key, put);
  if (reply.status !== 200) throw refusedBy(reply);
  const bucketUrl = askedUrl(other).replace(/\/$/, '');
  return formAnswer(reply, { bucket: bucket.name, key, bucketUrl, fields: form.fields });
}

/** What is refused is noted for the log. */
function callerOf(
  { exchange, request, bucket, authenticateForm }: OtherOperation,
  form: ArrivingForm,
): Caller {
  try {
    const caller = authenticateForm(form.fields, bucket.region, request);
    if (caller.kind === 'client') exchange.caller = caller.accessKeyId;
    return caller;
  } catch (error) {
    if (error instanceof S3Error) {
      const client = clientAddressOf(request);
      const accessKey = shownKeyOf('x-amz-credential', credentialOf(form));
      exchange.refusedSignature = { client, accessKey, why: error.reason ?? error.code };
    }
    throw error;
  }
}

function credentialOf({ fields }: ArrivingForm): string {
  return fields.get('x-amz-credential') ?? fields.get('x-store-credential') ?? '';
}

function requireAllowed(
  { policy, bucket, request, query }: OtherOperation,
  caller: Caller,
  key: string,
  { store }: FormFields,
): void {
  const permissions = new Permissions(policy, caller, bucket.name);
  permissions.require('PutObject', key);
  requireActionsOfFields(store, action => permissions.require(action, key));
  refuseMisreadWrites('PostObject', store, query, []);
  readCustomerKey(store, takesCustomerKeys(bucket, request), 'write');
}

function requireSigned(
  { bucket, nowMs }: OtherOperation,
  { fields, lengthBytes }: ArrivingForm,
  key: string,
) {
  const policy = parsePostPolicy(fields.get('policy') ?? '');
  requirePolicy(policy, { bucket: bucket.name, key, fields, lengthBytes }, nowMs);
}

function askStore(
  other: OtherOperation,
  job: DocumentJob,
  form: ArrivingForm,
  key: string,
  put: FormFields,
): Promise<WholeReply> {
  const { exchange, bucket, writes } = other;
  const declared = declaredPayload({
    ...{ signed: undefined, contentLength: String(form.lengthBytes), contentMd5: put.contentMd5 },
    store: new Map([...put.store].filter(([name]) => name.startsWith('checksum-'))),
    prefix: exchange.prefix,
  });
  if (form.file) verify(form.file, declared, other);
  const { keySlot } = objectKeyOf(bucket, key);
  const asked: StoreRequest = {
    ...{ method: 'PUT', operation: 'PutObject', query: '' },
    ...{ bucket: bucket.bucketAtStore, key: bucket.keyPrefix + key },
    fields: ruledFields(bucket, key, put.passed),
  };
  const store: Pick<Store, 'send'> = {
    send: (toSend, receiver) => {
      const file = form.file ?? fileOnItsWay(other, form, declared, error => write.refuse(error));
      const write = StoreWrite.send(exchange, {
        ...{ store: bucket.store, open: writes.begin(keySlot), receiver, resultLimitBytes: 0 },
        ...(file instanceof ClientBody
          ? { request: { ...toSend, bodyStream: file }, body: file }
          : { request: { ...toSend, body: file } }),
      });
      return write;
    },
  };
  return job.ask(store, asked, ANSWER_BYTES);
}

/** The file of a large form, which the client still sends. */
function fileOnItsWay(
  { exchange, request, observer }: OtherOperation,
  { boundary }: ArrivingForm,
  declared: DeclaredPayload,
  refused: (error: unknown) => void,
): ClientBody {
  const options = { declared, boundary, prefix: exchange.prefix };
  const received = observer.receives(exchange);
  return new ClientBody(request, {
    convert: pass => new FormFile(options, pass),
    pace: paceOf(exchange, observer),
    arrived: lengthBytes => received.arrived(lengthBytes),
    refused,
  });
}

/** What a form takes whose file is streamed. */
const STREAMING_BYTES = 128 * 1024;

/** The end of a form: a boundary of at most 70 characters (RFC 2046 §5.1.1), two line breaks and hyphens. */
const FORM_END_LIMIT_BYTES = 78;

/** The answer to PutObject has no body. */
const ANSWER_BYTES = 64 * 1024;

function verify(file: Buffer, declared: DeclaredPayload, { exchange }: OtherOperation): void {
  const verifier = new PayloadVerifier(declared, exchange.prefix, () => undefined);
  verifier.write(file);
  verifier.end();
}
