/** The namespace of the store protocol's documents. */
export const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Characters that XML 1.0 §2.2 does not allow, even escaped. */
const notXml = /[^\t\n\r\u0020-\ufffd]/g;

/** Characters that may need escaping; most texts contain none. */
const special = /[^\t\n !#-%'-;=?-\ud7ff\ue000-\ufffd]/;

/**
 * Escapes text for an element. Characters that XML does not allow become U+FFFD; carriage returns are escaped because a
 * reader would turn them into line feeds (XML 1.0 §2.11).
 */
export function escapeText(value: string): string {
  if (!special.test(value)) return value;
  return escapeMarkup(value.toWellFormed().replace(notXml, '\ufffd'));
}

/**
 * Escapes names, which must stay distinct: characters that XML does not allow are written as references, as stores do.
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
