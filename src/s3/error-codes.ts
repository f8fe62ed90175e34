/** The default meaning of an error code of the S3 protocol. */
export interface ErrorCodeMeaning {
  readonly status: number;
  readonly message: string;
}

/**
 * The codes that the gateway itself answers with, each with its status and default text. The texts are those of
 * docs/semantics.md (sections 1 to 13), byte for byte, since some clients match on them. Codes with several texts have
 * the others in `error-texts.ts`.
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
  BadGateway: { status: 502, message: 'The store gave an answer that cannot be understood.' },
  BadRequest: { status: 400, message: 'Bad Request' },
  ExpiredToken: { status: 400, message: 'The provided token has expired.' },
  GatewayTimeout: { status: 504, message: 'The store did not answer in time.' },
  InternalError: { status: 500, message: 'We encountered an internal error. Please try again.' },
  InvalidAccessKeyId: {
    status: 403,
    message: 'The AWS Access Key Id you provided does not exist in our records.',
  },
  InvalidArgument: { status: 400, message: 'Invalid Argument' },
  InvalidBucketName: { status: 400, message: 'The specified bucket is not valid.' },
  InvalidBucketOwnerAWSAccountID: {
    status: 400,
    message: 'The value of the expected bucket owner parameter must be an AWS Account ID...',
  },
  InvalidEncryptionAlgorithmError: {
    status: 400,
    message: 'The Encryption request you specified is not valid. Supported value: AES256.',
  },
  InvalidObjectState: {
    status: 403,
    message: "The operation is not valid for the object's storage class",
  },
  InvalidPartNumber: { status: 416, message: 'The requested partnumber is not satisfiable' },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidToken: { status: 400, message: 'The provided token is malformed or otherwise invalid.' },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  'KMS.DisabledException': { status: 400, message: 'The key is disabled.' },
  'KMS.KMSInvalidStateException': { status: 400, message: 'The key is not in a usable state.' },
  MethodNotAllowed: {
    status: 405,
    message: 'The specified method is not allowed against this resource.',
  },
  MissingSecurityHeader: { status: 400, message: 'Your request was missing a required header' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
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
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const satisfies Record<string, ErrorCodeMeaning>;

/** A code that the gateway itself answers with; stores may send others. */
export type ErrorCode = keyof typeof errorCodes;
