import { z } from 'zod';
import { parseXml } from './xml.ts';

/** A part listed in the request. */
export interface WantedPart {
  readonly partNumber: number;
  /** Without quotes. */
  readonly etag: string;
}

const form = {
  root: 'CompleteMultipartUpload',
  repeated: ['Part'],
  schema: z.object({
    Part: z.array(z.object({ PartNumber: z.string().regex(/^\d{1,5}$/), ETag: z.string() })),
  }),
};

/** @throws MalformedXML */
export function parsePartList(document: string): WantedPart[] {
  return parseXml(document, form).Part.map(({ PartNumber, ETag }) => ({
    partNumber: Number(PartNumber),
    etag: ETag.replace(/^"(.*)"$/, '$1'),
  }));
}
