import { S3Error, s3Error } from '../../../s3/error.ts';
import { errorCodes } from '../../../s3/error-codes.ts';
import { SlowBodyError } from '../../../transport/request-bodies.ts';

/** The error of a body whose rest does not come. @param why what its stream was ended with, if it told */
export function brokenBody(why: unknown): S3Error {
  if (!(why instanceof SlowBodyError)) return s3Error('IncompleteBody', { reason: 'the body broke off' });
  const { message } = errorCodes.RequestTimeout;
  // RFC 9110 §15.5.9: as for requests that are too slow before their body
  return new S3Error({ code: 'RequestTimeout', status: 408, message, reason: why.message });
}
