/** What an error code of the S3 protocol means unless a case says otherwise. */
interface ErrorCodeMeaning {
  readonly status: number;
  readonly message: string;
}

/**
 * The error codes of the S3 protocol that the gateway or the embedded store answers with, each with its status and
 * default text. Codes and statuses are those of docs/semantics.md (sections 1 to 13); the texts are those of Amazon S3,
 * byte for byte, since some clients match on them. (XMinioStorageFull has those of MinIO.) Codes with several texts have the others in `error-texts.ts`.
 */
export const errorCodes = {
  AccessDenied: { status: 403, message: 'Access Denied' },
  AccessForbidden: {
    status: 403,
    message: 'CORSResponse: This CORS request is not allowed.',
  },
  AuthorizationHeaderMalformed: { status: 400, message: 'The authorization header is malformed.' },
  AuthorizationQueryParametersError: {
    status: 400,
    message: 'Error parsing the query-string authentication parameters.',
  },
  BadDigest: { status: 400, message: 'The Content-MD5 you specified did not match what we received.' },
  BadGateway: { status: 502, message: 'The store gave an answer that cannot be understood.' },
  BadRequest: { status: 400, message: 'Bad Request' },
  BucketAlreadyOwnedByYou: {
    status: 409,
    message: 'Your previous request to create the named bucket succeeded and you already own it.',
  },
  BucketNotEmpty: { status: 409, message: 'The bucket you tried to delete is not empty' },
  EntityTooLarge: { status: 400, message: 'Your proposed upload exceeds the maximum allowed size' },
  EntityTooSmall: {
    status: 400,
    message: 'Your proposed upload is smaller than the minimum allowed size',
  },
  ExpectationFailed: { status: 417, message: 'The expectation of the request cannot be met.' },
  ExpiredToken: { status: 400, message: 'The provided token has expired.' },
  GatewayTimeout: { status: 504, message: 'The store did not answer in time.' },
  IncompleteBody: {
    status: 400,
    message: 'The request body terminated unexpectedly',
  },
  InternalError: { status: 500, message: 'We encountered an internal error. Please try again.' },
  InvalidAccessKeyId: {
    status: 403,
    message: 'The AWS Access Key Id you provided does not exist in our records.',
  },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.' },
  InvalidChunkSizeError: {
    status: 403,
    message: 'Only the last chunk is allowed to have a size less than 8192 bytes',
  },
  InvalidBucketOwnerAWSAccountID: {
    status: 400,
    message: 'The value of the expected bucket owner parameter must be an AWS Account ID...',
  },
  InvalidBucketState: {
    status: 409,
    message: 'The request is not valid for the current state of the bucket.',
  },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified was invalid.' },
  InvalidEncryptionAlgorithmError: {
    status: 400,
    message: 'The Encryption request you specified is not valid. Supported value: AES256.',
  },
  InvalidObjectState: {
    status: 403,
    message: "The action is not valid for the object's storage class",
  },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartNumber: { status: 416, message: 'The requested partnumber is not satisfiable' },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order. Parts must be ordered by part number.',
  },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidStorageClass: { status: 400, message: 'The storage class you specified is not valid' },
  InvalidTag: { status: 400, message: 'The tag provided was not a valid tag.' },
  InvalidPolicyDocument: {
    status: 400,
    message: 'The content of the form does not meet the conditions specified in the policy document.',
  },
  InvalidToken: { status: 400, message: 'The provided token is malformed or otherwise invalid.' },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  'KMS.DisabledException': { status: 400, message: 'The key is disabled.' },
  'KMS.KMSInvalidStateException': { status: 400, message: 'The key is not in a usable state.' },
  MalformedPOSTRequest: {
    status: 400,
    message: 'The body of your POST request is not well-formed multipart/form-data.',
  },
  MalformedXML: {
    status: 400,
    message: 'The XML you provided was not well-formed or did not validate against our published schema',
  },
  MalformedTrailerError: {
    status: 400,
    message:
      'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  },
  MaxPostPreDataLengthExceededError: {
    status: 400,
    message: 'Your POST request fields preceding the upload file were too large.',
  },
  MetadataTooLarge: {
    status: 400,
    message: 'Your metadata headers exceed the maximum allowed metadata size',
  },
  MethodNotAllowed: {
    status: 405,
    message: 'The specified method is not allowed against this resource.',
  },
  MissingContentLength: { status: 411, message: 'You must provide the Content-Length HTTP header.' },
  MissingSecurityHeader: { status: 400, message: 'Your request was missing a required header' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchCORSConfiguration: { status: 404, message: 'The CORS configuration does not exist' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
  NoSuchLifecycleConfiguration: {
    status: 404,
    message: 'The lifecycle configuration does not exist',
  },
  NoSuchObjectLockConfiguration: {
    status: 404,
    message: 'The specified object does not have a ObjectLock configuration',
  },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NoSuchVersion: { status: 404, message: 'The specified version does not exist.' },
  NotImplemented: {
    status: 501,
    message: 'A header you provided implies functionality that is not implemented',
  },
  PermanentRedirect: {
    status: 301,
    message:
      'The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.',
  },
  PreconditionFailed: {
    status: 412,
    message: 'At least one of the pre-conditions you specified did not hold',
  },
  RequestTimeout: {
    status: 400,
    message:
      'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
  },
  RequestTimeTooSkewed: {
    status: 403,
    message: 'The difference between the request time and the current time is too large.',
  },
  RestoreAlreadyInProgress: { status: 409, message: 'Object restore is already in progress' },
  ServiceUnavailable: { status: 503, message: 'Service is unable to handle request.' },
  SignatureDoesNotMatch: {
    status: 403,
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  SlowDown: { status: 503, message: 'Please reduce your request rate.' },
  TemporaryRedirect: {
    status: 307,
    message: 'Please re-send this request to the specified temporary endpoint.',
  },
  /** RFC 9110 §15.5.15; Amazon's list of errors has no code for this status. */
  URITooLong: { status: 414, message: 'The URI of the request is too long.' },
  /** MinIO's, as Amazon's list has none for a full disk; unlike a 503 nobody repeats it at once. */
  XMinioStorageFull: {
    status: 507,
    message:
      'Storage backend has reached its minimum free drive threshold. Please delete a few objects to proceed.',
  },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const satisfies Record<string, ErrorCodeMeaning>;

/** A code of `errorCodes`; stores may send others. */
export type ErrorCode = keyof typeof errorCodes;

/** Whether a code sent by a store is one of `errorCodes`. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** The message in place of one that a store has for `code`, which may be one of its own. */
export function usualMessage(code: string): string {
  return isErrorCode(code) ? errorCodes[code].message : `The store refused the request (${code}).`;
}
