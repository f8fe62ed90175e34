import type { ErrorCode } from './error-table.ts';
import { StoreError } from './store-error.ts';
import type { StoreRequest } from './store-request.ts';

/** The value of one of the protocol's headers that may hold only `values`; throws `code` for any other. */
export function parseChoice<Value extends string>(
  request: StoreRequest,
  name: string,
  values: readonly Value[],
  code: ErrorCode = 'InvalidArgument',
): Value | undefined {
  const text = request.prefixed(name);
  if (text === undefined) return undefined;
  const value = values.find(candidate => candidate === text);
  if (value !== undefined) return value;
  throw code === 'InvalidArgument' ? invalidHeader(request, name) : new StoreError(code);
}

/** InvalidArgument naming the header and what it holds. */
export function invalidHeader(request: StoreRequest, name: string): StoreError {
  return new StoreError('InvalidArgument', {
    fields: { ArgumentName: `${request.prefix}${name}`, ArgumentValue: request.prefixed(name) ?? '' },
  });
}
