import { z } from 'zod';
import type { CorsRule } from '../disk/buckets.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { receiveDocument } from '../protocol/received-document.ts';
import { parseXml, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

const texts = z.array(z.string()).default([]);
const form = {
  root: 'CORSConfiguration',
  repeated: ['CORSRule', 'AllowedOrigin', 'AllowedMethod', 'AllowedHeader', 'ExposeHeader'],
  schema: z.object({
    CORSRule: z.array(
      z.object({
        ID: z.string().optional(),
        AllowedOrigin: z.array(z.string()),
        AllowedMethod: z.array(z.enum(['GET', 'PUT', 'HEAD', 'POST', 'DELETE'])),
        AllowedHeader: texts,
        ExposeHeader: texts,
        MaxAgeSeconds: z.string().regex(/^\d+$/).optional(),
      }),
    ),
  }),
};

export async function putBucketCors(call: BucketCall): Promise<OperationAnswer> {
  const { CORSRule } = parseXml(await receiveDocument(call), form);
  const cors = CORSRule.map(
    (rule): CorsRule => ({
      id: rule.ID,
      allowedOrigins: rule.AllowedOrigin,
      allowedMethods: rule.AllowedMethod,
      allowedHeaders: rule.AllowedHeader,
      exposeHeaders: rule.ExposeHeader,
      maxAgeS: rule.MaxAgeSeconds === undefined ? undefined : Number(rule.MaxAgeSeconds),
    }),
  );
  call.store.buckets.change(call.bucket, { cors });
  return { status: 200 };
}

export function getBucketCors({ bucket }: BucketCall): OperationAnswer {
  if (bucket.settings.cors.length === 0) {
    throw new OperationError('NoSuchCORSConfiguration', { fields: { BucketName: bucket.name } });
  }
  const CORSRule = bucket.settings.cors.map(rule => ({
    ID: rule.id,
    AllowedOrigin: rule.allowedOrigins,
    AllowedMethod: rule.allowedMethods,
    AllowedHeader: rule.allowedHeaders,
    ExposeHeader: rule.exposeHeaders,
    MaxAgeSeconds: rule.maxAgeS,
  }));
  return { status: 200, body: xmlResult('CORSConfiguration', { CORSRule }) };
}

export function deleteBucketCors({ store, bucket }: BucketCall): OperationAnswer {
  store.buckets.change(bucket, { cors: [] });
  return { status: 204 };
}
