/**
 * Tests of versitygw's own suite that pass in front of it and fail through the gateway, by why. docs/semantics.md tells
 * them to readers in its section 16.
 */
export const protocolDifferences: Readonly<Record<string, readonly string[]>> = {
  'the same status and code in the words of Amazon S3': [
    'Authentication_credentials_incorrect_region',
    'Authentication_invalid_date_header',
    'Authentication_missing_date_header',
    'GetObject_conditional_reads',
    'GetObject_invalid_part_number',
    'ListBuckets_invalid_max_buckets',
    'PostObject_access_denied',
    'PostObject_invalid_content_type',
    'PostObject_invalid_tagging',
    'PostObject_policy_content_length_too_large',
    'PresignedAuth_creds_incorrect_region',
    'PresignedAuth_expired_request',
    'PublicBucket_default_private_bucket',
    'PublicBucket_public_acl',
    'PublicBucket_public_bucket_policy',
    'PutBucketCors_md5',
    'PutObject_md5',
    'RouterPostObjectWithoutQuery',
    'UploadPartCopy_invalid_part_number',
    'UploadPart_invalid_part_number',
    'Versioning_CopyObject_encoded_versionid_separator_invalid_versionId',
    'Versioning_UploadPartCopy_encoded_versionid_separator_invalid_versionId',
  ],
  'what claims to be a credential is not quoted (law 7)': [
    'Authentication_invalid_auth_header',
    'Authentication_unsupported_signature_version',
  ],
  'callers without a signature have the grants of the gateway, which are judged before anything else': [
    'PublicBucket_incorrect_sha256_hash',
    'PublicBucket_policy_deny_overrides_public_acl',
    'PublicBucket_signed_streaming_payload',
    'RouterCopySourceNotAllowed',
    'RouterPUTObjectOnlyUploadId',
    'RouterPutPartNumberWithoutUploadId',
  ],
  'what the gateway can tell is told before the store is asked': [
    'UploadPartCopy_non_existing_bucket',
    'UploadPart_checksum_algorithm_mistmatch_on_initialization_with_value',
  ],
  'versitygw’s own: forms an hour old, heads of 8 KiB, buckets made for other users, tokens that are keys': [
    'IAM_CreateBucket_empty_owner_header',
    'IAM_CreateBucket_non_existing_user',
    'ListObjectsV2_both_start_after_and_continuation_token',
    'PostObject_expired_due_to_date',
    'Server_large_http_header',
  ],
  'chunks below 8 KiB are taken, 1024 at most, as MinIO takes them': [
    'SignedStreamingPayload_invalid_chunk_size',
    'UnsignedStreamingPayloadTrailer_invalid_chunk_size',
  ],
};
