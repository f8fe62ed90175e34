import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../support/real-process.ts';

const awsEnvironment = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_MAX_ATTEMPTS: '1',
};

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The AWS command line with credentials, to fill a store. */
export function awsSigned(
  endpoint: string,
  credentials: Credentials,
  args: readonly string[],
): Promise<string> {
  return run('aws', ['--endpoint-url', endpoint, ...args], {
    ownEnvironment: true,
    environment: {
      ...awsEnvironment,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  });
}

/** `aws s3 sync` of a bucket into a folder, as somebody without credentials. One attempt: an error is an error. */
export function awsSync(endpoint: string, bucket: string, folder: string): Promise<string> {
  const args = ['--endpoint-url', endpoint, 's3', 'sync', '--no-sign-request', '--only-show-errors'];
  return run('aws', [...args, `s3://${bucket}`, folder], {
    ownEnvironment: true,
    environment: awsEnvironment,
  });
}

/** An rclone command in which `gate:` is the gateway, without second attempts, and without credentials unless given. */
export function rclone(
  endpoint: string,
  args: readonly string[],
  credentials?: Credentials,
): Promise<string> {
  return run('rclone', ['--config', '/dev/null', '--retries', '1', '--low-level-retries', '1', ...args], {
    ownEnvironment: true,
    environment: {
      RCLONE_CONFIG_GATE_TYPE: 's3',
      RCLONE_CONFIG_GATE_PROVIDER: 'Other',
      RCLONE_CONFIG_GATE_ENDPOINT: endpoint,
      ...(credentials && {
        RCLONE_CONFIG_GATE_ACCESS_KEY_ID: credentials.accessKeyId,
        RCLONE_CONFIG_GATE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      }),
    },
  });
}

/** One download for curl. */
interface Download {
  readonly key: string;
  /** Where it goes. */
  readonly path: string;
  /** As curl writes it: `0-99`, `100-`, `-100`. */
  readonly range?: string;
}

/** Fetches all of `downloads` with one curl, 16 at a time. */
export async function curl(endpoint: string, bucket: string, downloads: readonly Download[]): Promise<void> {
  for (const { path } of downloads) mkdirSync(dirname(path), { recursive: true });
  const input = downloads.map(download => section(endpoint, bucket, download)).join('next\n');
  await run('curl', ['--parallel', '--parallel-max', '16', '--config', '-'], { ownEnvironment: true, input });
}

function section(endpoint: string, bucket: string, { key, path, range }: Download): string {
  const url = `${endpoint}/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
  const lines = [
    `url = "${url}"`,
    `output = "${path}"`,
    'fail',
    'silent',
    'show-error',
    'globoff',
    'path-as-is',
  ];
  if (range !== undefined) lines.push(`range = "${range}"`);
  return `${lines.join('\n')}\n`;
}

/** The folder that a client downloads into, made new. */
export function newFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  return folder;
}
