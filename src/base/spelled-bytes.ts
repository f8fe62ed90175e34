/**
 * Marks characters that are no byte of a value: those outside of JSON strings, in the program's own names of fields, and
 * halves of surrogate pairs.
 */
const NO_BYTE = 256;

/** The program's own names of fields are of this form, and what may stand in their place, such as names of headers, hardly is. */
const ownName = /^[A-Za-z]{1,24}$/;

/** Whether `%41` in the text is one byte (`percent-in-json`) or three. */
export type Spelling = 'json' | 'percent-in-json';

const shortEscapes = new Map([...'bfnrt'].map((letter, index) => [letter, '\b\f\n\r\t'.charCodeAt(index)]));

/**
 * Decodes JSON text into bytes and remembers where in the text each byte is written. The memory is reused for the next
 * text.
 */
export class SpelledBytes {
  /** `NO_BYTE` for what is part of no value. */
  values = new Uint16Array(0);
  /** For each byte, the index of the first character that spells it, and that after the last. */
  starts = new Uint32Array(0);
  ends = new Uint32Array(0);
  length = 0;
  #isInString = true;
  /** Where the newest string of the text begins; 0 before the first. */
  #stringStart = 0;

  /**
   * Decodes the strings of `text` into UTF-8 bytes: `\"` is one byte, and so is `%41` with `percent-in-json`. Text
   * without a quotation mark is the inside of a string.
   */
  read(text: string, spelling: Spelling): void {
    // a character of UTF-16 has at most three bytes
    this.#allow(text.length * 3);
    this.length = 0;
    this.#isInString = true;
    this.#stringStart = 0;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code === 0x22) at = this.#addQuotationMark(text, at);
      else if (!this.#isInString) at = this.#add(NO_BYTE, at, at + 1);
      else if (code === 0x5c) at = this.#addEscaped(text, at);
      else if (code === 0x25 && spelling === 'percent-in-json') at = this.#addPercentEncoded(text, at);
      else if (code < 0x80) at = this.#add(code, at, at + 1);
      else at = this.#addCharacter(text, at);
    }
  }

  #allow(most: number): void {
    if (this.values.length >= most) return;
    this.values = new Uint16Array(most);
    this.starts = new Uint32Array(most);
    this.ends = new Uint32Array(most);
  }

  #add(value: number, start: number, end: number): number {
    const index = this.length++;
    this.values[index] = value;
    this.starts[index] = start;
    this.ends[index] = end;
    return end;
  }

  #addQuotationMark(text: string, at: number): number {
    const isFirst = this.#stringStart === 0;
    if (isFirst) this.values.fill(NO_BYTE, 0, this.length);
    else if (this.#isInString) this.#endString(text, at);
    this.#isInString = isFirst || !this.#isInString;
    if (this.#isInString) this.#stringStart = at + 1;
    return this.#add(NO_BYTE, at, at + 1);
  }

  #endString(text: string, end: number): void {
    const isName = text[end + 1] === ':' && ownName.test(text.slice(this.#stringStart, end));
    if (isName) this.values.fill(NO_BYTE, this.length - (end - this.#stringStart), this.length);
  }

  #addEscaped(text: string, at: number): number {
    const letter = text[at + 1] ?? '';
    if (letter !== 'u') return this.#add(shortEscapes.get(letter) ?? letter.charCodeAt(0), at, at + 2);
    const code = Number.parseInt(text.slice(at + 2, at + 6), 16);
    return this.#add(code < 0x80 ? code : NO_BYTE, at, at + 6);
  }

  #addPercentEncoded(text: string, at: number): number {
    const high = hexDigit(text.charCodeAt(at + 1));
    const low = hexDigit(text.charCodeAt(at + 2));
    if (high < 0 || low < 0) return this.#add(0x25, at, at + 1);
    return this.#add(high * 16 + low, at, at + 3);
  }

  #addCharacter(text: string, at: number): number {
    const point = text.codePointAt(at) ?? 0;
    const end = at + (point > 0xffff ? 2 : 1);
    if (point >= 0xd800 && point < 0xe000) return this.#add(NO_BYTE, at, end);
    for (const byte of Buffer.from(String.fromCodePoint(point))) this.#add(byte, at, end);
    return end;
  }
}

/** -1 for what is none. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
