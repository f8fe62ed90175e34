import { createHmac } from 'node:crypto';

/** A form as a client fills it in. */
export interface FilledForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: string | Buffer;
  readonly fileName?: string;
  /** What stands behind the file; default: the end of the form. */
  readonly behind?: string;
}

const boundary = 'the-boundary';

/** The head and the body of the request that posts a form. */
export function posted({ fields, file, fileName = 'up.txt', behind }: FilledForm) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: text/plain\r\n\r\n`;
  const end = behind ?? `\r\n--${boundary}--\r\n`;
  const body = Buffer.concat([Buffer.from(parts.join('') + head), Buffer.from(file), Buffer.from(end)]);
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body };
}

export { boundary as formBoundary };

/** Who signs a form, and what it allows. */
interface FormSigning {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly nowMs: number;
  readonly conditions: readonly unknown[];
  readonly expiresMs?: number;
  readonly region?: string;
}

/** The fields that sign a form, by the steps of the AWS documentation and nothing of the gateway's. */
export function signedFields(signing: FormSigning): Record<string, string> {
  const { accessKeyId, secretAccessKey, nowMs, region = 'us-east-1' } = signing;
  const date = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = date.slice(0, 8);
  const own = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': `${accessKeyId}/${day}/${region}/s3/aws4_request`,
    'x-amz-date': date,
  };
  const expiration = new Date(signing.expiresMs ?? nowMs + 60_000).toISOString();
  const conditions = [
    ...signing.conditions,
    ...Object.entries(own).map(([name, value]) => ({ [name]: value })),
  ];
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  return { ...own, policy, 'x-amz-signature': hmac(key, policy).toString('hex') };
}
