const CUSTOMER_KEY = 'Requests specifying Server Side Encryption with Customer provided keys must provide';

/**
 * Texts for codes with several meanings, named by the case; the numbers are rows of docs/semantics.md. Texts about
 * signatures quote the request, so they are built where signatures are checked.
 */
export const errorTexts = {
  /** 43, 44: InvalidArgument */
  partNumberOutOfBounds: 'Part number must be an integer between 1 and 10000, inclusive',
  /** 45: InvalidRequest */
  rangeWithPartNumber: 'Cannot specify both Range header and partNumber query parameter',
  /** 95, 98: InvalidArgument */
  versionIdMalformed: 'Invalid version id specified',
  /** 100: InvalidArgument */
  versionIdEmpty: 'Version id cannot be the empty string',
  /** 135: InvalidRequest */
  anonymousOverride: 'Request specific response headers cannot be used for anonymous GET requests.',
  /** 139: InvalidArgument */
  overrideNotLatin1: 'Header value cannot be represented using ISO-8859-1.',
  /** 144: InvalidRequest */
  customerKeyNeeded:
    'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
  /** 146: AccessDenied */
  customerKeyWrong: `${CUSTOMER_KEY} the correct secret key.`,
  /** 148: InvalidArgument */
  customerKeyMissing: `${CUSTOMER_KEY} an appropriate secret key.`,
  /** 149: InvalidArgument */
  customerKeyDigestMissing: `${CUSTOMER_KEY} the client calculated MD5 of the secret key.`,
  /** 150: InvalidArgument */
  customerAlgorithmMissing: `${CUSTOMER_KEY} a valid encryption algorithm.`,
  /** 151: InvalidArgument */
  customerKeyDigestMismatch: 'The calculated MD5 hash of the key did not match the hash that was provided.',
  /** 152: InvalidArgument */
  customerKeyLength: 'The secret key was invalid for the specified algorithm.',
  /** 154: InvalidRequest */
  customerKeyNotApplicable: 'The encryption parameters are not applicable to this object.',
  /** 155: InvalidRequest */
  customerKeyNeedsTls:
    'Requests specifying Server Side Encryption with Customer provided keys must be made over a secure connection.',
  /** 166: InvalidObjectState */
  accessTierArchived: "The action is not valid for the object's access tier",
  /** 184: InvalidRequest */
  checksumModeInvalid: 'Value for x-amz-checksum-mode header is invalid.',
  /** 200: BadRequest */
  originMissing: 'Insufficient information. Origin request header needed.',
  /** AccessDenied of a listing, for callers who may list a part of the bucket: the gateway's own text. */
  listingNeedsPrefix:
    'Access Denied. Only parts of this bucket may be listed: the prefix of the request has to be inside of what was granted.',
  /** 262: InvalidRequest */
  mechanismUnsupported:
    'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
  /** InvalidArgument */
  copySourceBucket: 'Invalid copy source bucket name',
  /** InvalidArgument */
  copySourceEncoding: 'Invalid copy source encoding',
  /** InvalidArgument */
  copySourceKey: 'Invalid copy source object key',
  /** InvalidRequest: more than one checksum is declared for one body. */
  severalChecksums: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  /** InvalidRequest */
  checksumUnknown: 'The algorithm type you specified in x-amz-checksum- header is invalid.',
  /** InvalidRequest */
  bodyUnexpected: 'The request included a body. Requests of this type must not include a non-empty body.',
  /** IncompleteBody: the content is shorter or longer than declared. */
  lengthWrong: 'You did not provide the number of bytes specified by the Content-Length HTTP header',
  /** InvalidRequest */
  listWithKey: 'Key is not expected for the GET method ?uploads subresource',
  /** InvalidArgument */
  copySourceUnexpected: 'You can only specify a copy source header for copy requests.',
  /** InvalidArgument */
  partWithoutUpload: 'This operation does not accept partNumber without uploadId',
  /** InvalidRequest: only objects and parts are sent as streams of chunks. */
  streamUnexpected: 'The value of x-amz-content-sha256 header is invalid.',
  /** InvalidRequest */
  digestMissing: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  /** InvalidRequest */
  trailerInvalid: 'The value specified in the x-amz-trailer header is not supported',
  /** 269: PreconditionFailed */
  bucketPostNotForm: 'Bucket POST must be of the enclosure-type multipart/form-data',
} as const;

/** 124: the text of InvalidBucketOwnerAWSAccountID quotes the account id that was sent. */
export function bucketOwnerText(sent: string): string {
  return `The value of the expected bucket owner parameter must be an AWS Account ID... [${sent}]`;
}

/** 236: the text of InvalidRequest for a bucket's sub-resource beside a key. */
export function subResourceOfKeyText(subResource: string): string {
  return `There is no such thing as the ?${subResource} sub-resource for a key`;
}
