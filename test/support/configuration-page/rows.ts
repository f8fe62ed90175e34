import { z } from 'zod';
import { formatDuration, formatSize } from '../../../src/config/units.ts';

/** A key of the configuration. */
export interface ConfigurationRow {
  /** Such as `buckets.<name>.cache.ttl`; `[]` is an item of a list. */
  readonly path: string;
  /** What may stand there, in the words of the error messages. */
  readonly takes: string;
  /** The forms of maps that have this key, from the outside in, such as `type: s3`. */
  readonly forms: readonly string[];
  /** What holds where the key is left out. */
  readonly absent: Absent;
}

/** What a key that is left out means: an error, a value as it would be written, or what the words say. */
export type Absent =
  | { readonly kind: 'refused' }
  | { readonly kind: 'allowed' }
  | { readonly kind: 'value'; readonly value: string; readonly atWebOrigin?: string | undefined }
  | { readonly kind: 'words'; readonly words: string };

/** The same with a value of any type. */
type AbsentValue =
  | Exclude<Absent, { kind: 'value' }>
  | (Omit<Extract<Absent, { kind: 'value' }>, 'value'> & { readonly value: unknown });

/** A part of zod's description of a schema, as far as it is read here. */
const node = z.looseObject({
  type: z.string(),
  innerType: z.unknown().optional(),
  defaultValue: z.unknown().optional(),
  in: z.unknown().optional(),
  out: z.unknown().optional(),
  shape: z.record(z.string(), z.unknown()).optional(),
  element: z.unknown().optional(),
  valueType: z.unknown().optional(),
  values: z.array(z.unknown()).optional(),
  options: z.array(z.unknown()).optional(),
  discriminator: z.string().optional(),
});

/** What schemas tell with `.meta()` of defaults that are filled in later. */
const told = z.object({
  /** The value that holds where the key is left out. */
  fallback: z.unknown().optional(),
  /** What holds in its place at web origins, in words. */
  atWebOrigin: z.string().optional(),
  /** The same in words. */
  otherwise: z.string().optional(),
  /** The same for each key of this map. */
  keysOtherwise: z.string().optional(),
});

const definitionOf = (schema: unknown) => node.parse(z.object({ def: z.unknown() }).parse(schema).def);
const toldOf = (schema: unknown) => told.parse(z.instanceof(z.ZodType).parse(schema).meta() ?? {});

/** All keys of `schema`, in its order; those that several forms of a value share, such as a map and a list of maps, once. */
export function configurationRows(schema: z.ZodType, path = ''): readonly ConfigurationRow[] {
  const rows = rowsOf(schema, path, { kind: 'refused' });
  const first = (row: ConfigurationRow) => rows.findIndex(other => sameRow(other, row));
  return rows
    .filter((row, index) => first(row) === index)
    .map((row, index, kept) => ({
      ...row,
      forms: formsOf(rows.filter(other => sameRow(other, kept[index] ?? row))),
    }));
}

/** Equal but for the innermost form. */
function sameRow(one: ConfigurationRow, other: ConfigurationRow): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ path, takes, forms, absent }: ConfigurationRow): string {
  return JSON.stringify([path.replaceAll('[]', ''), takes, forms.length, forms.slice(0, -1), absent]);
}

/** The forms of equal rows, the innermost of all of them as one, such as `from: instance, container`. */
function formsOf(rows: readonly ConfigurationRow[]): readonly string[] {
  const outer = rows[0]?.forms.slice(0, -1) ?? [];
  const [inner, ...others] = new Set(rows.flatMap(({ forms }) => forms.slice(-1)));
  if (inner === undefined) return outer;
  return [...outer, [inner, ...others.map(form => form.replace(/^.*: /, ''))].join(', ')];
}

function rowsOf(schema: unknown, path: string, given: AbsentValue): readonly ConfigurationRow[] {
  const definition = definitionOf(schema);
  const { type, innerType, defaultValue, shape, element, valueType, options } = definition;
  const absent = absentOf(schema, given);
  if (type === 'default') return rowsOf(innerType, path, { kind: 'value', value: defaultValue });
  if (type === 'prefault') return rowsOf(innerType, path, prefaultOf(defaultValue));
  if (type === 'optional')
    return rowsOf(innerType, path, absent.kind === 'refused' ? { kind: 'allowed' } : absent);
  if (type === 'pipe') return rowsOf(readOf(definition), path, absent);
  if (shape) return keysOf(shape, path, toldOf(schema).keysOtherwise);
  if (valueType) return rowsOf(valueType, `${path}.<name>`, { kind: 'refused' });
  if (definition.discriminator !== undefined)
    return rowsOfForms(definition.discriminator, options ?? [], path);
  const own = rowOf(schema, path, absent);
  const within = element ? partsOf(`${path}[]`)(element) : (options ?? []).flatMap(partsOf(path));
  const below = within.filter(row => row.path !== path && row.path !== `${path}[]`);
  // a map or a list that has no other form is told by its keys
  const isToldBelow = below.length > 0 && (element !== undefined || own.takes.startsWith('Invalid input'));
  return isToldBelow ? below : [own, ...below];
}

function keysOf(shape: Readonly<Record<string, unknown>>, path: string, words: string | undefined) {
  return Object.entries(shape).flatMap(([key, value]) => {
    const rows = rowsOf(value, path ? `${path}.${key}` : key, { kind: 'refused' });
    return words === undefined
      ? rows
      : rows.map(row => ({ ...row, absent: { kind: 'words', words } as const }));
  });
}

/** Keys below a form that a value may have. */
const partsOf = (path: string) => (option: unknown) => rowsOf(option, path, { kind: 'refused' });

/** The key that tells the forms of a map apart, and the other keys of each form. */
function rowsOfForms(key: string, options: readonly unknown[], path: string): readonly ConfigurationRow[] {
  const decides = (row: ConfigurationRow) => row.path === `${path}.${key}`;
  const forms = options.map(partsOf(path));
  const names = forms.map(rows => rows.find(decides)?.takes ?? '');
  const within = forms.flatMap((rows, index) =>
    rows
      .filter(row => !decides(row))
      .map(row => ({ ...row, forms: [`${key}: ${names[index]}`, ...row.forms] })),
  );
  return [
    { path: `${path}.${key}`, takes: names.join(', '), forms: [], absent: { kind: 'refused' } },
    ...within,
  ];
}

/** Of what is read first and what comes of it, the one that has keys; else the first. */
function readOf({ in: first, out: second }: { readonly in?: unknown; readonly out?: unknown }): unknown {
  const isOpen = definitionOf(first).type === 'transform' && definitionOf(second).type !== 'transform';
  return isOpen || definitionOf(second).discriminator !== undefined ? second : first;
}

function absentOf(schema: unknown, given: AbsentValue): AbsentValue {
  const { fallback, otherwise, atWebOrigin } = toldOf(schema);
  if (otherwise !== undefined) return { kind: 'words', words: otherwise };
  return fallback === undefined ? given : { kind: 'value', value: fallback, atWebOrigin };
}

/** A map that is filled in is empty: its keys have the defaults. */
function prefaultOf(value: unknown): AbsentValue {
  return typeof value === 'object'
    ? { kind: 'words', words: 'the defaults below' }
    : { kind: 'value', value };
}

function rowOf(schema: unknown, path: string, absent: AbsentValue): ConfigurationRow {
  const takes = wordsOf(schema);
  if (absent.kind !== 'value') return { path, takes, forms: [], absent };
  return { path, takes, forms: [], absent: { ...absent, value: written(absent.value, takes) } };
}

/** The message of a value that fits nothing. */
function wordsOf(schema: unknown): string {
  const { type, values } = definitionOf(schema);
  if (values) return values.join(', ');
  const read = z.instanceof(z.ZodType).parse(schema).safeParse(Symbol('nothing fits'));
  const message = read.error?.issues[0]?.message ?? '';
  return type === 'custom' ? `not built yet: ${message}` : message;
}

/** A default in the units of the file. */
function written(value: unknown, takes: string): string {
  if (typeof value === 'number' && takes.startsWith('a duration')) return formatDuration(value);
  if (typeof value === 'number' && takes.startsWith('a size')) return formatSize(value);
  const kind = z.strictObject({ kind: z.string() }).safeParse(value);
  if (kind.success) return kind.data.kind;
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
