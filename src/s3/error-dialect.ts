import { type HeaderPrefix, inDialect } from './dialect.ts';
import type { Pairs } from './error.ts';

/** The parts of an error that are shown to clients. */
interface ErrorTexts {
  readonly code: string;
  readonly message: string;
  readonly fields: Pairs;
}

/** Elements whose values are names of headers or parameters; other values may contain user data, such as a key. */
const namesHeaders = new Set(['ArgumentName', 'Header', 'HeadersNotSigned', 'MissingHeaderName']);

/** Converts an error to the dialect of `prefix`: its message, element names, and header names in elements. */
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
