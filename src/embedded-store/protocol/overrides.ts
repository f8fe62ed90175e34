import type { StoreCaller } from '../access/caller.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

const overridable = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
];

/**
 * The headers that a request asks for instead of the stored ones (docs/semantics.md, Rules 3; docs/semantics.md,
 * section 6). Empty values are ignored.
 *
 * @throws InvalidRequest for anonymous callers, InvalidArgument for values that a header cannot contain
 */
export function parseOverrides(
  request: OperationRequest,
  caller: StoreCaller,
): Readonly<Record<string, string>> {
  const overrides: Record<string, string> = {};
  for (const header of overridable) {
    const name = `response-${header}`;
    const value = request.query.get(name);
    if (value === undefined) continue;
    if (caller.kind === 'anonymous') {
      throw new OperationError('InvalidRequest', {
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new OperationError('InvalidArgument', {
        message: 'Header value cannot be represented using ISO-8859-1.',
        fields: { ArgumentName: name, ArgumentValue: value },
      });
    }
    if (value !== '') overrides[header] = value;
  }
  return overrides;
}
