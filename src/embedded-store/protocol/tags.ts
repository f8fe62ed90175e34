import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

const MAX_TAGS = 10;

/** The tags of a write, given as `name=value&…`. @throws InvalidTag and BadRequest */
export function parseTaggingHeader(request: OperationRequest): [string, string][] {
  const header = request.prefixed('tagging');
  return header === undefined ? [] : checkedTags([...new URLSearchParams(header)]);
}

/** Validates tags. @throws InvalidTag and BadRequest */
export function checkedTags(tags: [string, string][]): [string, string][] {
  if (tags.length > MAX_TAGS) {
    throw new OperationError('BadRequest', { message: 'Object tags cannot be greater than 10' });
  }
  const names = new Set(tags.map(([name]) => name));
  if (names.size < tags.length) {
    throw new OperationError('InvalidTag', { message: 'Cannot provide multiple Tags with the same key' });
  }
  for (const [name, value] of tags) {
    if (name === '' || name.length > 128)
      throw new OperationError('InvalidTag', { fields: { TagKey: name } });
    if (value.length > 256) throw new OperationError('InvalidTag', { fields: { TagValue: value } });
  }
  return tags;
}
