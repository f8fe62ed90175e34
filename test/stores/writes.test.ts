import { afterAll, beforeAll, describe } from 'vitest';
import { realStores } from './real-stores.ts';
import { awsCommandLine } from './writing/aws-command-line.ts';
import { minioClient } from './writing/minio-client.ts';
import { python } from './writing/python.ts';
import { rcloneWrites } from './writing/rclone.ts';
import { s3fs } from './writing/s3fs.ts';
import { sdkForJavaScript } from './writing/sdk.ts';
import { WriteSite } from './writing/site.ts';

describe.each(realStores)('writes through the gateway in front of %s', (_, startStore) => {
  let site: WriteSite;

  beforeAll(async () => {
    site = await WriteSite.start(startStore);
  });
  afterAll(() => site?.stop());

  awsCommandLine(() => site);
  python(() => site);
  rcloneWrites(() => site);
  sdkForJavaScript(() => site);
  minioClient(() => site);
  s3fs(() => site);
});
