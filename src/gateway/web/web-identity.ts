import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import { readContentHead } from '../fill/content-head.ts';
import { strongTag } from './confirmation.ts';
import type { WebHead } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/** Which content an answer of `sizeBytes` is of. */
export function webIdentity({ target }: WebRead, head: WebHead, sizeBytes: number): GenerationIdentity {
  const { contentEncoding } = readContentHead(head);
  const entityTag = strongTag(head);
  return { objectKey: target.key.text, versionId: undefined, entityTag, contentEncoding, sizeBytes };
}
