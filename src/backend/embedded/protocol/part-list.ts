import { z } from 'zod';
import { StoreError } from './store-error.ts';
import { parseXml } from './xml.ts';

/** A part that the client says belongs to the object. */
export interface WantedPart {
  readonly partNumber: number;
  /** Without quotes. */
  readonly etag: string;
}

const listSchema = z.object({
  Part: z.array(z.object({ PartNumber: z.string().regex(/^\d{1,5}$/), ETag: z.string() })),
});

/** Throws MalformedXML. */
export function parsePartList(document: string): WantedPart[] {
  const list = listSchema.safeParse(parseXml(document, 'CompleteMultipartUpload', ['Part']));
  if (!list.success) throw new StoreError('MalformedXML', { cause: list.error });
  return list.data.Part.map(({ PartNumber, ETag }) => ({
    partNumber: Number(PartNumber),
    etag: ETag.replace(/^"(.*)"$/, '$1'),
  }));
}
