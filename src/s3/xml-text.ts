/** Characters that XML 1.0 §2.2 has no place for, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ufffd]/g;

const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

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

/** The five entities of XML 1.0 §4.6 and character references (§4.1); what is neither stays as it is. */
export function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED_ENTITIES.get(name) ?? whole;
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
