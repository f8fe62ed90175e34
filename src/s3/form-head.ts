import { isUtf8 } from 'node:buffer';
import { s3Error } from './error.ts';

/** What comes before the content of the file in a form (RFC 7578). */
export interface FormHead {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  /** Of the file, as the client calls it; empty where it does not. */
  readonly fileName: string;
  /** Where the content of the file begins in the body. */
  readonly fileStart: number;
}

/** The longest head of a form. Amazon takes 20 KB of fields; each field also has a head of its own. */
export const FORM_HEAD_LIMIT_BYTES = 32 * 1024;

const CRLF = '\r\n';
const HEAD_END = '\r\n\r\n';

/** RFC 2046 §5.1.1. */
const validBoundary = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** The boundary that the content type of a form names. @throws S3Error MalformedPOSTRequest */
export function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (!validBoundary.test(boundary)) throw malformed('the boundary is missing or invalid');
  return boundary;
}

/** What separates the content of a part from what follows it. */
export function delimiterOf(boundary: string): Buffer {
  return Buffer.from(`${CRLF}--${boundary}`, 'latin1');
}

/** The end of a form whose last part is the file, as browsers and most libraries write it. */
export function endOf(boundary: string): Buffer {
  return Buffer.from(`${CRLF}--${boundary}--${CRLF}`, 'latin1');
}

/**
 * Reads a form up to its file: a store ignores what comes behind it. The library of the field (`@fastify/busboy`) does
 * not tell where the file begins, which is needed to tell the store its length.
 */
export class FormHeadReader {
  readonly #memory = Buffer.allocUnsafeSlow(FORM_HEAD_LIMIT_BYTES);
  readonly #delimiter: Buffer;
  readonly #fields = new Map<string, string>();
  #lengthBytes = 0;
  /** Where the current part begins, behind its delimiter. */
  #partStart = 0;
  /** Up to where the current part was searched. */
  #searched = 0;
  #isBegun = false;

  constructor(boundary: string) {
    this.#delimiter = delimiterOf(boundary);
  }

  /**
   * Takes the next bytes of the body.
   *
   * @returns undefined while the file has not begun
   * @throws S3Error MalformedPOSTRequest; InvalidArgument for a form without a file; MaxPostPreDataLengthExceededError
   */
  write(bytes: Buffer): FormHead | undefined {
    this.#lengthBytes += bytes.copy(this.#memory, this.#lengthBytes);
    if (!this.#isBegun && !this.#begin()) return undefined;
    for (;;) {
      const part = this.#nextPart();
      if (part === undefined) break;
      if (part.kind === 'file')
        return { fields: this.#fields, fileName: part.fileName, fileStart: this.#partStart };
    }
    if (this.#lengthBytes === FORM_HEAD_LIMIT_BYTES) throw s3Error('MaxPostPreDataLengthExceededError');
    return undefined;
  }

  /** The body begins with the delimiter, without its line break. */
  #begin(): boolean {
    const first = this.#delimiter.subarray(CRLF.length);
    if (this.#lengthBytes < first.length) return false;
    if (!this.#memory.subarray(0, first.length).equals(first))
      throw malformed('it does not begin with the boundary');
    this.#isBegun = true;
    this.#moveTo(first.length);
    return true;
  }

  #nextPart(): { readonly kind: 'field' } | { readonly kind: 'file'; readonly fileName: string } | undefined {
    const start = this.#partStart;
    if (this.#lengthBytes < start + CRLF.length) return undefined;
    if (this.#text(start, start + 2) === '--') throw fileRequired();
    const headEnd = this.#find(HEAD_END, start);
    if (headEnd === undefined) return undefined;
    const { name, fileName } = readPartHead(this.#text(start, headEnd));
    const contentStart = headEnd + HEAD_END.length;
    if (name === 'file') {
      this.#moveTo(contentStart);
      return { kind: 'file', fileName: fileName ?? '' };
    }
    const end = this.#find(this.#delimiter, contentStart - CRLF.length);
    if (end === undefined) return undefined;
    this.#addField(name, this.#memory.subarray(contentStart, Math.max(end, contentStart)));
    this.#moveTo(end + this.#delimiter.length);
    return { kind: 'field' };
  }

  #addField(name: string, value: Buffer): void {
    if (this.#fields.has(name)) throw malformed('a field is given twice');
    if (!isUtf8(value)) throw malformed('a field is not UTF-8');
    this.#fields.set(name, value.toString());
  }

  /** Each byte of a part is searched about once, in however small pieces the body comes. */
  #find(text: string | Buffer, from: number): number | undefined {
    const start = typeof text === 'string' ? from : Math.max(from, this.#searched);
    const at = this.#memory.subarray(0, this.#lengthBytes).indexOf(text, start);
    if (at >= 0) return at;
    if (typeof text !== 'string') this.#searched = Math.max(from, this.#lengthBytes - text.length);
    return undefined;
  }

  #moveTo(at: number): void {
    this.#partStart = at;
    this.#searched = at;
  }

  #text(start: number, end: number): string {
    return this.#memory.toString('utf8', start, end);
  }
}

/** The head of a part, from the rest of the line of its delimiter on. */
function readPartHead(text: string): { readonly name: string; readonly fileName: string | undefined } {
  const [restOfDelimiter = '', ...lines] = text.split(CRLF);
  if (restOfDelimiter.trim() !== '') throw malformed('a boundary is followed by something else');
  const disposition = lines.find(line => /^content-disposition:/i.test(line)) ?? '';
  const name = parameterOf(disposition, 'name');
  if (!/^content-disposition:\s*form-data\s*;/i.test(disposition) || !name)
    throw malformed('a part is not a named field');
  return { name: name.toLowerCase(), fileName: parameterOf(disposition, 'filename') };
}

/** As browsers write it: `"` as `%22`, or with a backslash as others do. */
function parameterOf(disposition: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]*))`, 'i').exec(disposition) ?? [];
  return quoted?.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"') ?? plain;
}

function fileRequired() {
  return s3Error('InvalidArgument', {
    message: 'POST requires exactly one file upload per request.',
    fields: [
      ['ArgumentName', 'file'],
      ['ArgumentValue', '0'],
    ],
  });
}

function malformed(reason: string) {
  return s3Error('MalformedPOSTRequest', { reason });
}
