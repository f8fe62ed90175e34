import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

const MAX_ENTRIES = 1000;

/** Encodes a name for a listing. */
export type EncodeName = (name: string) => string;

/** The parameters that all listings have in common. */
export interface ListingParameters {
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxEntries: number;
  /** `url` when names should be percent-encoded, since XML cannot represent every character. */
  readonly encodingType: 'url' | undefined;
  readonly encode: EncodeName;
}

/** `maxName` is the parameter for the page size. @throws InvalidArgument */
export function parseListingParameters(request: OperationRequest, maxName = 'max-keys'): ListingParameters {
  const encodingType = request.query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url') {
    throw invalid('Invalid Encoding Method specified in Request', 'encoding-type', encodingType);
  }
  return {
    prefix: request.query.get('prefix') ?? '',
    delimiter: request.query.get('delimiter') ?? '',
    maxEntries: parseCount(request, maxName),
    encodingType,
    encode: encodingType === 'url' ? encodeName : name => name,
  };
}

function parseCount(request: OperationRequest, name: string): number {
  const text = request.query.get(name);
  if (text === undefined || text === '') return MAX_ENTRIES;
  if (!/^\d{1,10}$/.test(text)) {
    throw invalid(`Provided ${name} not an integer or within integer range`, name, text);
  }
  return Math.min(Number(text), MAX_ENTRIES);
}

/** Encodes everything except letters, digits, `-_.~*` and the slash. */
function encodeName(name: string): string {
  return encodeURIComponent(name)
    .replace(/[!'()]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}

function invalid(message: string, name: string, value: string): OperationError {
  return new OperationError('InvalidArgument', {
    message,
    fields: { ArgumentName: name, ArgumentValue: value },
  });
}
