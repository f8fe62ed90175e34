import { z } from 'zod';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

const form = {
  root: 'RequestPaymentConfiguration',
  schema: z.object({ Payer: z.enum(['BucketOwner', 'Requester']) }),
};

export async function putRequestPayment(call: BucketCall): Promise<OperationAnswer> {
  const { Payer: payer } = parseXml(await receiveDocument(call), form);
  call.store.buckets.change(call.bucket, { payer });
  return { status: 200 };
}

export function getRequestPayment({ bucket }: BucketCall): OperationAnswer {
  return { status: 200, body: xmlResult('RequestPaymentConfiguration', { Payer: bucket.settings.payer }) };
}
