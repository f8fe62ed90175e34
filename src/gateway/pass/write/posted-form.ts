import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import { s3Error } from '../../../s3/error.ts';
import { boundaryOf, delimiterOf, endOf, type FormHead, FormHeadReader } from '../../../s3/form-head.ts';
import { letContinue } from '../../../transport/request-bodies.ts';
import type { OtherOperation } from '../other-operation.ts';
import { brokenBody } from './broken-body.ts';
import { readWhole } from './whole-body.ts';

/** A form whose fields have been read. Its file is there, or follows in the body of the request. */
export interface ArrivingForm extends FormHead {
  readonly boundary: string;
  readonly file: Buffer | undefined;
  /** Of the file. */
  readonly lengthBytes: number;
}

/** Up to this length a form is read whole: then its file may be followed by anything. */
export const SMALL_FORM_BYTES = 1024 * 1024;

/**
 * Reads a form as far as its file, or whole if it is small.
 *
 * @param lengthBytes of the body
 * @throws S3Error (rejects with) MalformedPOSTRequest, InvalidArgument, MaxPostPreDataLengthExceededError,
 * IncompleteBody
 */
export async function readForm(
  other: OtherOperation,
  contentType: string,
  lengthBytes: number,
): Promise<ArrivingForm> {
  const boundary = boundaryOf(contentType);
  if (lengthBytes <= SMALL_FORM_BYTES)
    return smallForm(boundary, await readWhole(other, unverified(lengthBytes)));
  const head = await readHead(other, boundary);
  const fileBytes = lengthBytes - head.fileStart - endOf(boundary).length;
  return { ...head, boundary, file: undefined, lengthBytes: Math.max(0, fileBytes) };
}

function smallForm(boundary: string, body: Buffer): ArrivingForm {
  const head = new FormHeadReader(boundary).write(body);
  if (!head) throw malformed('it ends before its file');
  const end = body.indexOf(delimiterOf(boundary), head.fileStart - 2);
  if (end < 0) throw malformed('its file does not end');
  const file = body.subarray(head.fileStart, Math.max(head.fileStart, end));
  return { ...head, boundary, file, lengthBytes: file.length };
}

/** The fields of a form that is read on afterwards. */
async function readHead(
  { request, exchange, observer }: OtherOperation,
  boundary: string,
): Promise<FormHead> {
  const reader = new FormHeadReader(boundary);
  const received = observer.receives(exchange);
  letContinue(request, exchange.response);
  const { promise, resolve, reject } = Promise.withResolvers<FormHead>();
  const stop = () => {
    request.off('data', arrived).off('end', broken).off('close', broken);
    request.pause();
  };
  const arrived = (bytes: Buffer) => {
    try {
      const head = reader.write(bytes);
      // what is of the file comes once more
      const lengthBytes = head ? head.fileStart - received.receivedBytes : bytes.length;
      received.arrived(lengthBytes);
      if (!head) return;
      stop();
      request.unshift(bytes.subarray(lengthBytes));
      resolve(head);
    } catch (error) {
      stop();
      reject(error);
    }
  };
  const broken = (why?: unknown) => {
    stop();
    reject(brokenBody(why));
  };
  request.on('data', arrived).on('end', broken).on('close', broken).on('error', broken);
  if (request.destroyed) broken();
  return promise;
}

/** The body of a form as a whole is not signed. */
function unverified(lengthBytes: number): DeclaredPayload {
  return {
    ...{ lengthBytes, coding: 'none', signing: undefined },
    ...{ sha256: undefined, md5: undefined, checksum: undefined },
  };
}

function malformed(reason: string) {
  return s3Error('MalformedPOSTRequest', { reason });
}
