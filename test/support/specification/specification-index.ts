import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** One statement of docs/semantics.md, and what proves that it holds. */
export interface SpecificationItem {
  /** Stable: `<kind>/<name>`. */
  readonly id: string;
  /** The heading that it stands under. */
  readonly section: string;
  /** The words of the specification, shortened to a sentence. */
  readonly says: string;
  /** Titles of tests, by their files below `test`. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

const sectionSchema = z.strictObject({
  section: z.string(),
  items: z.array(
    z.strictObject({
      id: z.string().regex(/^[a-z-]+\/[\w:-]+$/),
      says: z.string().endsWith('.'),
      tests: z.record(z.string(), z.array(z.string())).nullish(),
    }),
  ),
});

/**
 * The items of all files in `directory`.
 *
 * @throws Error naming the file that is not YAML of the form of an index
 */
export function readSpecification(directory: string): readonly SpecificationItem[] {
  const names = readdirSync(directory).filter(name => name.endsWith('.yaml'));
  return names.sort().flatMap(name => {
    const parsed = sectionSchema.safeParse(parse(readFileSync(join(directory, name), 'utf8')));
    if (!parsed.success) throw new Error(`${name} is no index: ${parsed.error.message}`);
    const { section, items } = parsed.data;
    return items.map(({ id, says, tests }) => ({ id, section, says, tests: tests ?? {} }));
  });
}
