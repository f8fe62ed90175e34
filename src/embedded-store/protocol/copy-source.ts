import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** The source of a copy: `[/]<bucket>/<key>[?versionId=<id>]`, percent-encoded once. */
export interface CopySource {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string | undefined;
}

/** Undefined when the request has no copy source. @throws InvalidArgument */
export function parseCopySource(request: OperationRequest): CopySource | undefined {
  const header = request.prefixed('copy-source');
  if (header === undefined) return undefined;
  const match = /^\/?([^/?]+)\/([^?]+)(?:\?versionId=([^&]*))?$/.exec(header);
  const [bucket, key] = match ? [decode(match[1]), decode(match[2])] : [];
  if (bucket !== undefined && key !== undefined) return { bucket, key, versionId: match?.[3] };
  throw new OperationError('InvalidArgument', {
    message: 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    fields: { ArgumentName: `${request.prefix}copy-source`, ArgumentValue: header },
  });
}

/** The bytes to copy for a part, both ends inclusive; undefined for all. @throws InvalidArgument */
export function parseCopyRange(
  request: OperationRequest,
  sizeBytes: number,
): { readonly first: number; readonly last: number } | undefined {
  const header = request.prefixed('copy-source-range');
  if (header === undefined) return undefined;
  const match = /^bytes=(\d+)-(\d+)$/.exec(header);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  if (match && first <= last && last < sizeBytes) return { first, last };
  throw new OperationError('InvalidArgument', {
    message:
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    fields: { ArgumentName: `${request.prefix}copy-source-range`, ArgumentValue: header },
  });
}

function decode(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
