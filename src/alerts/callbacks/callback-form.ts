import { type CallbackRefusal, refuse } from './refusal.ts';

/** The fields of a callback's body, each at most once. */
type CallbackForm = { readonly kind: 'form'; readonly fields: ReadonlyMap<string, string> } | CallbackRefusal;

const namedValue = /^([a-z]+)=([^=]*)$/;

/**
 * Parses an urlencoded body. How the service escapes user input is not documented (docs/cards.md §2), so anything
 * ambiguous is refused: repeated or unknown fields, an unescaped `=` or `%`, an unreplaced placeholder.
 */
export function readCallbackForm(body: string, known: readonly string[]): CallbackForm {
  const fields = new Map<string, string>();
  for (const pair of body.split('&')) {
    const [, name = '', escaped = ''] = namedValue.exec(pair) ?? [];
    const value = unescaped(escaped);
    if (!known.includes(name) || fields.has(name) || value === undefined || value.includes('{{')) {
      return refuse('form-ambiguous', 'What was entered cannot be read without doubt. Use plain words.');
    }
    fields.set(name, value);
  }
  return { kind: 'form', fields };
}

function unescaped(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped.replaceAll('+', ' ')).trim();
  } catch {
    return undefined;
  }
}
