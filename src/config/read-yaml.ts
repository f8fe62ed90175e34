import { type Alias, type Document, isPair, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import { ConfigError } from './config-error.ts';
import { formatPath } from './problems.ts';

/**
 * The content of a YAML text; an empty one is a configuration with all defaults.
 *
 * @param source names it in messages
 * @throws ConfigError without quotes from the text, as these may be secrets
 */
export function readYaml(yaml: string, source: string): unknown {
  // its warnings would be printed, with quotes from the text
  // and it compares each key with each other
  const document = parseDocument(yaml, { prettyErrors: false, logLevel: 'error', uniqueKeys: false });
  // tags that are not known are warnings of the parser, which then drops what follows
  const [first] = [...document.errors, ...document.warnings];
  // what follows a tab, or any other error, is read as something else
  const problem = document.errors.find(({ code }) => code === 'TAB_AS_INDENT') ?? first;
  if (problem) {
    const { code, message, pos } = problem;
    const reason = isReference(yaml, pos[0]) ? UNQUOTED_REFERENCE : withoutQuotes(code, message);
    throw new ConfigError(source, [`line ${lineAt(yaml, pos[0])}: ${reason}`]);
  }
  const twice = repeatedKey(document);
  if (twice)
    throw new ConfigError(source, [
      `line ${lineAt(yaml, twice.offset)}: ${formatPath(twice.path)} is there twice`,
    ]);
  const alias = badAlias(document);
  if (alias) {
    const place = `line ${lineAt(yaml, alias.node.range?.[0] ?? 0)}: ${formatPath(alias.path)}`;
    throw new ConfigError(source, [`${place} ${alias.fault}`]);
  }
  try {
    return document.toJS() ?? {};
  } catch (cause) {
    throw new ConfigError(source, ['it repeats parts of itself too often by "*"'], { cause });
  }
}

const UNQUOTED_REFERENCE = `a reference to a variable or a file has to stand in quotes here, such as "\${NAME}"`;

/** Whether the brace at `offset`, which begins a map, was meant to be that of a reference. */
function isReference(yaml: string, offset: number): boolean {
  return yaml.slice(offset - 1, offset + 1) === `\${`;
}

/** Error codes whose messages quote the file, or speak to programmers. */
const quoting: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'this cannot begin with "*" or "&"; write it in quotes',
  BAD_DIRECTIVE: 'this directive is not known',
  BAD_DQ_ESCAPE: 'a text in double quotes has a backslash that begins no escape',
  BAD_SCALAR_START: 'a text begins with a character that has a meaning of its own; write it in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key has to stand on one line and needs a colon and a blank after it',
  MULTIPLE_DOCS: 'a second document begins here; a configuration is one document',
  TAG_RESOLVE_FAILED: 'a text that begins with "!" is a tag, and this one is not known; write it in quotes',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** What is wrong, without quotes from the file. */
function withoutQuotes(code: string, message: string): string {
  return Object.hasOwn(quoting, code) ? String(quoting[code]) : message.replace(/\s*["'`][\s\S]*$/, '');
}

/** An alias that names nothing, such as the pattern `**`, or what it is in itself, or that is a key; and the keys on the way to it. */
function badAlias(
  document: Document,
): { readonly node: Alias; readonly path: readonly PropertyKey[]; readonly fault: string } | undefined {
  let found: ReturnType<typeof badAlias>;
  // as the file has them: a name may be given again (YAML 1.2.2 §3.2.2.2); `resolve` would look through all of it each time
  const anchors = new Map<string, Node>();
  visit(document, {
    Value(_key, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
    Alias(key, node, ancestors) {
      const fault = faultOf(key, anchors.get(node.source), ancestors);
      if (fault === undefined) return undefined;
      found = { fault, node, path: pathOf([...ancestors, node]) };
      return visit.BREAK;
    },
  });
  return found;
}

/** @param key where the alias stands, as `visit` tells it */
function faultOf(key: unknown, target: Node | undefined, ancestors: readonly unknown[]): string | undefined {
  if (!target) return 'begins with "*", which refers to nothing; write it in quotes';
  if (ancestors.includes(target)) return 'refers by "*" to what it is in itself';
  // it may be there twice
  return key === 'key' ? 'has a key that is taken from elsewhere by "*"; write it out' : undefined;
}

/** A key of a map that has it already, and where it is written. */
function repeatedKey(
  document: Document,
): { readonly offset: number; readonly path: readonly PropertyKey[] } | undefined {
  const known = new Map<unknown, Set<string>>();
  let found: ReturnType<typeof repeatedKey>;
  visit(document, {
    Pair(_key, pair, ancestors) {
      if (!isScalar(pair.key)) return undefined;
      const map = ancestors.at(-1);
      const names = known.get(map) ?? new Set();
      known.set(map, names);
      const name = String(pair.key.value);
      if (!names.has(name)) {
        names.add(name);
        return undefined;
      }
      found = { offset: pair.key.range?.[0] ?? 0, path: pathOf([...ancestors, pair]) };
      return visit.BREAK;
    },
  });
  return found;
}

function pathOf(nodes: readonly unknown[]): readonly PropertyKey[] {
  return nodes.flatMap((node, index): readonly PropertyKey[] => {
    const parent = nodes[index - 1];
    if (isSeq(parent)) return [parent.items.indexOf(node)];
    return isPair(node) && isScalar(node.key) ? [String(node.key.value)] : [];
  });
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
