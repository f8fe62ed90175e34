import type { Caller } from '../access/caller.ts';
import { StoreError } from './store-error.ts';
import type { StoreRequest } from './store-request.ts';

const OVERRIDABLE = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
];

/**
 * The headers that a request wants instead of the stored ones (object-retrieval.md, Rules 3; behaviours.md,
 * section 6). Empty values change nothing. Throws InvalidRequest for anonymous callers, InvalidArgument for
 * values that no header can carry.
 */
export function parseOverrides(request: StoreRequest, caller: Caller): Readonly<Record<string, string>> {
  const overrides: Record<string, string> = {};
  for (const header of OVERRIDABLE) {
    const name = `response-${header}`;
    const value = request.query.get(name);
    if (value === undefined) continue;
    if (caller.kind === 'anonymous') {
      throw new StoreError('InvalidRequest', {
        message: 'Request specific response headers cannot be used for anonymous GET requests.',
      });
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new StoreError('InvalidArgument', {
        message: 'Header value cannot be represented using ISO-8859-1.',
        fields: { ArgumentName: name, ArgumentValue: value },
      });
    }
    if (value !== '') overrides[header] = value;
  }
  return overrides;
}
