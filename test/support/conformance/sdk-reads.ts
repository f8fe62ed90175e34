import {
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { OWNER } from '../embedded-store/store-under-test.ts';
import type { Lab } from './lab.ts';

/** A GetObject or HeadObject as a program puts it. */
export type SdkRead = GetObjectCommandInput & { readonly method?: 'GET' | 'HEAD' };

/** What a program that uses the AWS SDK sees of an answer, without what belongs to that one answer alone. */
interface SdkAnswer {
  readonly status: number | undefined;
  /** Fields of the output, or of the error that was thrown. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string | undefined;
}

/** The SDK's answer from the store and from the gateway alike, and how often the gateway asked the store for it. */
interface SdkAgreement extends SdkAnswer {
  readonly storeRequests: { readonly cold: number; readonly warm: number };
}

/** Properties of one answer, or of the SDK's own making. */
const ofOneAnswer = new Set([
  '$fault',
  '$metadata',
  '$response',
  '$retryable',
  'Body',
  'HostId',
  'RequestId',
]);

/** Sends one read by the SDK; its body is read to the end, which is where the SDK compares checksums. */
export async function readBySdk(client: S3Client, { method = 'GET', ...input }: SdkRead): Promise<SdkAnswer> {
  try {
    if (method === 'HEAD') return answerOf(await client.send(new HeadObjectCommand(input)), undefined);
    const output = await client.send(new GetObjectCommand(input));
    return answerOf(output, await output.Body?.transformToString('latin1'));
  } catch (error) {
    if (error instanceof S3ServiceException) return answerOf(error, undefined);
    throw error;
  }
}

/** Reads from the store and, cold and warm, through the gateway: the program must not see a difference. */
export async function agreeBySdk(lab: Lab, read: SdkRead, account: Account = OWNER): Promise<SdkAgreement> {
  const direct = lab.store.sdk(account);
  const through = lab.sdk(account);
  try {
    const answer = await readBySdk(direct, read);
    lab.forget();
    const before = await lab.requests();
    expect(await readBySdk(through, read), 'cold').toEqual(answer);
    const between = await lab.requests();
    expect(await readBySdk(through, read), 'warm').toEqual(answer);
    const after = await lab.requests();
    return { ...answer, storeRequests: { cold: between - before, warm: after - between } };
  } finally {
    direct.destroy();
    through.destroy();
  }
}

function answerOf(
  output: { readonly $metadata: { readonly httpStatusCode?: number | undefined } },
  body: string | undefined,
): SdkAnswer {
  const shown = Object.entries(output).filter(
    ([name, value]) => value !== undefined && !ofOneAnswer.has(name),
  );
  const message = output instanceof Error ? { name: output.name, message: output.message } : {};
  return {
    status: output.$metadata.httpStatusCode,
    fields: { ...Object.fromEntries(shown), ...message },
    body,
  };
}
