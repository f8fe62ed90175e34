import { createHmac, randomBytes } from 'node:crypto';
import { textsOfName } from '../../base/length-prefixed.ts';
import { isShortened } from '../../http/vary.ts';
import { ASKED_RANGE } from '../web/asked-range.ts';
import { selectors } from '../web/outgoing-fields.ts';

/** A request field by which an answer of a web origin was selected. */
export interface SelectingField {
  /** In lower case. */
  readonly name: string;
  /**
   * In the spelling by which answers are told apart; null where requests have no such field. Left out where it may be a secret, and
   * of long fields, which are not kept.
   */
  readonly value?: string | null;
  /** Instead of a value that may be a secret: equal values have equal ones, until the gateway starts anew. */
  readonly digest?: string;
}

/** Fields that are no secrets, whoever sends them. Any other one may be a key of somebody, whatever it is called. */
const plain: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-datetime', 'accept-encoding', 'accept-language', 'origin', 'host'],
  ...['user-agent', 'x-requested-with', 'x-forwarded-host', 'x-forwarded-proto', 'upgrade-insecure-requests'],
  ...['save-data', 'dnt', 'dpr', 'width', 'viewport-width', 'device-memory', 'downlink', 'ect', 'rtt'],
  ...selectors,
  ASKED_RANGE,
]);

/** What browsers tell of themselves and of what they ask for. */
const plainPrefix = /^sec-(?:ch|fetch)-/;

/**
 * What is told of the requests that select a record: its name is made of values, and these may be secrets.
 *
 * @param name see `WebRead.variantName`
 * @param vary the names of the fields
 * @param mayShow whether nobody but clients has made the field
 */
export function describeVariant(
  name: string,
  vary: readonly string[],
  mayShow: (field: string) => boolean,
): readonly SelectingField[] {
  const values = valuesIn(name);
  return vary.map(field => {
    const shown = field === ASKED_RANGE ? 'range' : field;
    const value = values.get(field) ?? null;
    const isShown = value === null || (isPlain(field) && mayShow(field));
    if (!isShown) return { name: shown, digest: digestOf(value) };
    return value !== null && isShortened(value) ? { name: shown } : { name: shown, value };
  });
}

/** Tells texts apart, and nothing else of them. */
export function digestOf(text: string): string {
  return createHmac('sha256', digestKey).update(Buffer.from(text, 'utf16le')).digest('hex').slice(0, 12);
}

/** Short texts could be guessed from a digest without a key. */
const digestKey = randomBytes(32);

function isPlain(field: string): boolean {
  return plain.has(field) || plainPrefix.test(field);
}

function valuesIn(name: string): ReadonlyMap<string, string | undefined> {
  const texts = textsOfName(textsOfName(name)?.[0] ?? '') ?? [];
  const values = new Map<string, string | undefined>();
  for (let index = 0; index < texts.length; index += 2) values.set(texts[index] ?? '', texts[index + 1]);
  return values;
}
