import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** docs/semantics.md, Limits. */
const MAX_PART_NUMBER = 10_000;

/** The part number in a request, if any: 1 to 10000. @throws InvalidArgument (docs/semantics.md 43, 44) */
export function parsePartNumber(request: OperationRequest): number | undefined {
  const text = request.query.get('partNumber');
  if (text === undefined) return undefined;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_PART_NUMBER) return number;
  throw new OperationError('InvalidArgument', {
    message: 'Part number must be an integer between 1 and 10000, inclusive',
    fields: { ArgumentName: 'partNumber', ArgumentValue: text },
  });
}
