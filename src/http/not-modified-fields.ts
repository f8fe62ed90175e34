/** Fields of the content, which a 304 does not repeat (RFC 9110 §15.4.5), and those that only fit a whole answer. */
const ofWhole = /^(?:content-(?!location|security-policy).*|accept-ranges|transfer-encoding)$/;

/** Whether a 304 has the field of this name that the whole answer would have. @param name in lower case */
export function isInNotModified(name: string): boolean {
  return !ofWhole.test(name);
}
