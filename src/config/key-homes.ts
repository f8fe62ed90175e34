import { z } from 'zod';

type Path = readonly PropertyKey[];
type Schema = z.core.$ZodType;

/**
 * Where `key`, which is unknown in the map at `path`, is known: in a map inside that, or in one that it is inside of.
 *
 * @returns the path of that map; undefined where there is none
 */
export function homeOf(schema: Schema, path: Path, key: string): Path | undefined {
  const names = keysAt(schema, path);
  const inside = [...names.map(name => [...path, name]), ...names.map(name => [...path, name, 0])];
  const around = path.map((_, depth) => path.slice(0, -1 - depth));
  return [...inside, ...around].find(home => keysAt(schema, home).includes(key));
}

/** The keys that are known in the map at `path`, in any of its forms. */
function keysAt(schema: Schema, path: Path): readonly string[] {
  const found = path.reduce<readonly Schema[]>(
    (schemas, key) => schemas.flatMap(each => childrenOf(each, key)),
    formsOf(schema),
  );
  return found.flatMap(each => (each instanceof z.core.$ZodObject ? Object.keys(each._zod.def.shape) : []));
}

/** Of an item of a list, or of the value of a key. */
function childrenOf(schema: Schema, key: PropertyKey): readonly Schema[] {
  if (typeof key === 'number')
    return schema instanceof z.core.$ZodArray ? formsOf(schema._zod.def.element) : [];
  if (schema instanceof z.core.$ZodRecord) return formsOf(schema._zod.def.valueType);
  if (!(schema instanceof z.core.$ZodObject)) return [];
  const { shape } = schema._zod.def;
  return Object.hasOwn(shape, key) ? formsOf(shape[String(key)]) : [];
}

/** What a value may be, without what says that it may be left out, or what it is turned into. */
function formsOf(schema: Schema | undefined): readonly Schema[] {
  if (!schema) return [];
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.flatMap(formsOf);
  if (schema instanceof z.core.$ZodPipe) return [schema._zod.def.in, schema._zod.def.out].flatMap(formsOf);
  const isWrapped =
    schema instanceof z.core.$ZodOptional ||
    schema instanceof z.core.$ZodDefault ||
    schema instanceof z.core.$ZodPrefault;
  return isWrapped ? formsOf(schema._zod.def.innerType) : [schema];
}
