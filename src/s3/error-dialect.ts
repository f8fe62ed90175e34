import { type HeaderPrefix, inDialect } from './dialect.ts';
import type { Pairs } from './error.ts';

/** The parts of an error that a reader sees. */
export interface ErrorTexts {
  readonly code: string;
  readonly message: string;
  readonly fields: Pairs;
}

/** Elements whose values name headers or parameters; the others may quote what users chose, such as a key. */
const namesHeaders = new Set(['ArgumentName', 'Header', 'HeadersNotSigned', 'MissingHeaderName']);

/** An error in the dialect of `prefix`: its message, the names of its elements, and the headers that elements name. */
export function errorInDialect({ code, message, fields }: ErrorTexts, prefix: HeaderPrefix): ErrorTexts {
  return {
    code,
    message: inDialect(message, prefix),
    fields: fields.map(([name, value]) => [
      inDialect(name, prefix),
      namesHeaders.has(name) ? inDialect(value, prefix) : value,
    ]),
  };
}
