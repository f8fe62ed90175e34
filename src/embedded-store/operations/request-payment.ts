import { z } from 'zod';
import type { Answer } from '../protocol/answer.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

const FORM = {
  root: 'RequestPaymentConfiguration',
  schema: z.object({ Payer: z.enum(['BucketOwner', 'Requester']) }),
};

/** PutBucketRequestPayment. */
export async function putRequestPayment(call: BucketCall): Promise<Answer> {
  const { Payer: payer } = parseXml(await receiveDocument(call), FORM);
  call.store.buckets.change(call.bucket, { payer });
  return { status: 200 };
}

/** GetBucketRequestPayment. */
export function getRequestPayment({ bucket }: BucketCall): Answer {
  return { status: 200, body: xmlResult('RequestPaymentConfiguration', { Payer: bucket.settings.payer }) };
}
