const line = /^HTTP\/1\.\d 100[ \r]/;
const LINE_BYTES = 'HTTP/1.1 100 '.length;

/** A head that nobody has asked for is short. */
const HEAD_LIMIT_BYTES = 4 * 1024;

/**
 * How many bytes the heads of `100 Continue` take that `bytes` begin with. A server may send them though nobody has asked for them
 * (RFC 9110 §15.2), and undici takes them for an error.
 */
export function continueBytes(bytes: Buffer): number {
  let start = 0;
  while (line.test(bytes.toString('latin1', start, start + LINE_BYTES))) {
    const end = bytes.indexOf('\r\n\r\n', start, 'latin1');
    if (end < 0) break;
    start = end + 4;
  }
  return start;
}

/** Whether `bytes` are the beginning of such a head, and more may follow. */
export function mayBecomeContinue(bytes: Buffer): boolean {
  const begun = bytes.toString('latin1', 0, LINE_BYTES);
  const isOne = begun.length < LINE_BYTES ? 'HTTP/1.1 100 '.startsWith(begun) : line.test(begun);
  return isOne && bytes.length < HEAD_LIMIT_BYTES;
}
