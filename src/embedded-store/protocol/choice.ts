import type { ErrorCode } from '../../s3/error-codes.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** The value of a store header that allows only `values`; throws `code` for any other. */
export function parseChoice<Value extends string>(
  request: OperationRequest,
  name: string,
  values: readonly Value[],
  code: ErrorCode = 'InvalidArgument',
): Value | undefined {
  const text = request.prefixed(name);
  if (text === undefined) return undefined;
  const value = values.find(candidate => candidate === text);
  if (value !== undefined) return value;
  throw code === 'InvalidArgument' ? invalidHeader(request, name) : new OperationError(code);
}

/** InvalidArgument with the header's name and value. */
export function invalidHeader(request: OperationRequest, name: string): OperationError {
  return new OperationError('InvalidArgument', {
    fields: { ArgumentName: `${request.prefix}${name}`, ArgumentValue: request.prefixed(name) ?? '' },
  });
}
