/** Characters that XML 1.0 §2.2 has no place for, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ufffd]/g;

/**
 * Text as it stands in an element. What XML cannot carry becomes U+FFFD; carriage returns are escaped because a
 * reader would turn them into line feeds (XML 1.0 §2.11).
 */
export function escapeText(value: string): string {
  return value
    .toWellFormed()
    .replace(NOT_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}
