import { Generation } from '../../cache/generation.ts';
import type { ObjectRecord } from '../../cache/record.ts';

/** Whether `record` is what is held, or is from before that was packed: then it has given up its content. */
export function isStillHeld(held: ObjectRecord | undefined, record: ObjectRecord): boolean {
  if (held === record) return true;
  if (held?.kind !== 'readable' || record.kind !== 'readable') return false;
  const isAskedAlike = held.epoch === record.epoch && held.barrier === record.barrier;
  if (!isAskedAlike || held.receivedMs !== record.receivedMs) return false;
  if (!(record.content instanceof Generation) || !record.content.isRetired) return false;
  return held.entityTag === record.entityTag && held.versionId === record.versionId;
}

/** Whether both are of one content. */
export function haveSameContent(one: ObjectRecord, other: ObjectRecord): boolean {
  return one.kind === 'readable' && other.kind === 'readable' && one.content === other.content;
}
