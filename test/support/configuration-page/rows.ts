import { z } from 'zod';
import { formatDuration, formatSize } from '../../../src/config/units.ts';

/** A key of the configuration. */
export interface ConfigurationRow {
  /** Such as `buckets.<name>.cache.ttl`; `[]` is an item of a list. */
  readonly path: string;
  /** What may stand there, in the words of the error messages. */
  readonly takes: string;
  /** The default as it would be written; left out where there is none. */
  readonly fallback?: string;
}

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
});

const definitionOf = (schema: unknown) => node.parse(z.object({ def: z.unknown() }).parse(schema).def);

/** All keys of `schema`, in its order; those that several forms of a value share, such as a map and a list of maps, once. */
export function configurationRows(schema: z.ZodType, path = ''): readonly ConfigurationRow[] {
  const rows = rowsOf(schema, path, undefined);
  return rows.filter((row, index) => rows.findIndex(other => sameRow(other, row)) === index);
}

function sameRow(one: ConfigurationRow, other: ConfigurationRow): boolean {
  const same = one.takes === other.takes && one.fallback === other.fallback;
  return same && one.path.replaceAll('[]', '') === other.path.replaceAll('[]', '');
}

function rowsOf(schema: unknown, path: string, fallback: unknown): readonly ConfigurationRow[] {
  const { type, innerType, defaultValue, shape, element, valueType, options, ...pipe } = definitionOf(schema);
  if (type === 'default') return rowsOf(innerType, path, defaultValue);
  if (type === 'prefault' || type === 'optional') return rowsOf(innerType, path, fallback);
  if (type === 'pipe') return rowsOf(readOf(pipe), path, fallback);
  if (shape)
    return Object.entries(shape).flatMap(([key, value]) =>
      rowsOf(value, path ? `${path}.${key}` : key, undefined),
    );
  if (valueType) return rowsOf(valueType, `${path}.<name>`, undefined);
  const own = rowOf(schema, path, fallback);
  const within = element ? rowsOf(element, `${path}[]`, undefined) : (options ?? []).flatMap(partsOf(path));
  const below = within.filter(row => row.path !== path && row.path !== `${path}[]`);
  // a map or a list that has no other form is told by its keys
  const isToldBelow = below.length > 0 && (element !== undefined || own.takes.startsWith('Invalid input'));
  return isToldBelow ? below : [own, ...below];
}

/** Keys below a form that a value may have. */
const partsOf = (path: string) => (option: unknown) => rowsOf(option, path, undefined);

/** Of what is read first and what comes of it, the one that has keys; else the first. */
function readOf({ in: first, out: second }: { readonly in?: unknown; readonly out?: unknown }): unknown {
  const { type, shape } = definitionOf(first);
  const isOpen = type === 'transform' || (shape !== undefined && Object.keys(shape).length < 2);
  return isOpen && definitionOf(second).type !== 'transform' ? second : first;
}

function rowOf(schema: unknown, path: string, fallback: unknown): ConfigurationRow {
  const takes = wordsOf(schema);
  return fallback === undefined ? { path, takes } : { path, takes, fallback: written(fallback, takes) };
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
