import { readContentHead } from '../fill/content-head.ts';
import { isOfOneRequest } from './one-request.ts';
import { refusalToStore } from './storable-answer.ts';
import { type ArrivedHead, isEventStream, isOfUse } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/** Why an answer to `read` that has arrived is not kept, as a token: nothing else is a reason left but its size. */
export function whyNotKept(read: WebRead, { head, times }: ArrivedHead): string {
  const refusal = refusalToStore(read, 'GET', head, false);
  if (refusal !== undefined) return refusal;
  if (isOfOneRequest(read, head)) return 'one-request';
  if (!isOfUse(head, read.policy, times)) return 'never-fresh';
  const { status, lengthBytes } = readContentHead(head);
  if (status === 206) return 'partial';
  if (lengthBytes === 'unusable') return 'unusable-length';
  return isEventStream(head, lengthBytes) ? 'event-stream' : 'too-large';
}
