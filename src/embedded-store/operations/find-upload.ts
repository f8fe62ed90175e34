import type { Upload } from '../disk/uploads.ts';
import { OperationError } from '../protocol/operation-error.ts';
import type { ObjectCall } from './operation.ts';

/** The upload that a request names. @throws NoSuchUpload */
export function findUpload({ request, store, bucket, key }: ObjectCall): Upload {
  const id = request.query.get('uploadId') ?? '';
  const upload = store.uploads.find(bucket.name, key, id);
  if (!upload) throw new OperationError('NoSuchUpload', { fields: { UploadId: id } });
  return upload;
}
