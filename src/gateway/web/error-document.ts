import { targetedFields } from '../../http/targeted-cache-control.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { isStorable } from './storable-answer.ts';
import { readWebHead } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/**
 * The fields of an error whose content is a document: those about the content are the document's, all others are the error's. So
 * caches keep it for as long as the error, and not at all where the document is not for all whom the error is for. Validators are
 * left out: those of the error are of another content, and those of the document would confirm whatever comes next.
 *
 * @param read of the document
 */
export function errorFields(
  error: readonly HeaderField[],
  document: readonly HeaderField[],
  read: WebRead,
): readonly HeaderField[] {
  const isForAll = isStorable(read, 'GET', readWebHead({ status: 200, fields: document }), false);
  const isOfError = (name: string) => !isAboutContent(name) && !validators.has(name);
  const own = error.filter(({ name }) => isOfError(name) && (isForAll || !isOfCaching(name)));
  const taken = document.filter(
    ({ name }) => name === 'vary' || (isAboutContent(name) && !ofOwnTarget.has(name)),
  );
  return isForAll ? [...own, ...taken] : [...own, ...taken, noStore];
}

const noStore: HeaderField = { name: 'cache-control', value: 'no-store', store: false };

const validators: ReadonlySet<string> = new Set(['etag', 'last-modified', 'accept-ranges']);

/** Fields that tell of the document under its own name. */
const ofOwnTarget: ReadonlySet<string> = new Set(['content-range', 'content-location']);

function isOfCaching(name: string): boolean {
  return name === 'cache-control' || name === 'expires' || name === 'pragma' || targetedFields.has(name);
}

/** RFC 9110 §8, RFC 9530 §3. */
function isAboutContent(name: string): boolean {
  return name.startsWith('content-') || name === 'repr-digest' || name === 'digest';
}
