import { s3Error } from './error.ts';
import { isElement, readXml, textOf, type XmlElement } from './xml-reader.ts';
import { escapeText, NAMESPACE } from './xml-text.ts';

/** The body of RestoreObject, without what has the store write the object to another place. All values are text as sent. */
interface RestoreDocument {
  readonly days?: string | undefined;
  /** How fast an archived object becomes readable. */
  readonly tier?: string | undefined;
  readonly description?: string | undefined;
}

/** The longest body that is read, in bytes: a plain one takes a few hundred. */
export const RESTORE_LIMIT_BYTES = 64 * 1024;
const limits = {
  length: RESTORE_LIMIT_BYTES,
  depth: 16,
  nodes: 1_000,
  memberLength: RESTORE_LIMIT_BYTES,
};

/** What they name is another object, which the store would write: in any bucket, with the gateway's rights. */
const elsewhere: ReadonlySet<string> = new Set(['OutputLocation', 'SelectParameters', 'Type']);

/**
 * Reads the body of RestoreObject. What is not known is refused, since a store may read it in another way: names with a
 * namespace prefix, for example.
 *
 * @throws S3Error NotImplemented for a restore whose result would be written elsewhere; MalformedXML
 */
export function readRestoreDocument(text: string): RestoreDocument {
  const root = readXml(text, limits);
  if (root?.name !== 'RestoreRequest') throw s3Error('MalformedXML');
  const values = new Map<string, string>();
  for (const child of root.children) if (isElement(child)) addValue(values, child);
  return {
    days: values.get('Days'),
    tier: values.get('Tier'),
    description: values.get('Description'),
  };
}

function addValue(values: Map<string, string>, element: XmlElement): void {
  const { name, children } = element;
  if (elsewhere.has(name))
    throw s3Error('NotImplemented', {
      reason: 'the result of the restore would be written elsewhere',
    });
  const inner = children.filter(isElement);
  if (name === 'GlacierJobParameters' && inner.every(child => child.name === 'Tier')) {
    for (const child of inner) addValue(values, child);
    return;
  }
  const isKnown = name === 'Days' || name === 'Tier' || name === 'Description';
  if (!isKnown || inner.length > 0 || values.has(name)) throw s3Error('MalformedXML');
  values.set(name, textOf(element));
}

export function formatRestoreDocument({ days, tier, description }: RestoreDocument): string {
  const speed =
    tier === undefined ? '' : `<GlacierJobParameters>${element('Tier', tier)}</GlacierJobParameters>`;
  const content = `${element('Days', days)}${speed}${element('Description', description)}`;
  return `<RestoreRequest xmlns="${NAMESPACE}">${content}</RestoreRequest>`;
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? '' : `<${name}>${escapeText(text)}</${name}>`;
}
