/** Characters that XML 1.0 §2.2 has no place for, not even escaped. */
const notXml = /[^\t\n\r\u0020-\ufffd]/g;

/** What is written otherwise than it is, or may be: most texts have none of it. */
const special = /[^\t\n !#-%'-;=?-\ud7ff\ue000-\ufffd]/;

/**
 * Text as it stands in an element. What XML cannot carry becomes U+FFFD; carriage returns are escaped because a
 * reader would turn them into line feeds (XML 1.0 §2.11).
 */
export function escapeText(value: string): string {
  if (!special.test(value)) return value;
  return escapeMarkup(value.toWellFormed().replace(notXml, '\ufffd'));
}

/**
 * The same for names of others, which must not become other names: what XML cannot carry is written as a reference, as
 * stores do.
 */
export function escapeName(value: string): string {
  if (!special.test(value)) return value;
  return escapeMarkup(value.toWellFormed()).replace(
    notXml,
    character => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
  );
}

function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}
