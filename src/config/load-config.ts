import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';
import { type Environment, substituteEnvironment } from './environment.ts';
import { deepFreeze } from './freeze.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { grantWarnings } from './grant-warnings.ts';
import { describeIssues, describeWarnings, formatPath } from './problems.ts';

/**
 * Reads a configuration file.
 *
 * @param asksForKeys false to let backends leave out `keys` where it is needed, so that their stores can be asked.
 * @throws ConfigError when it cannot be read or used; its message holds no secret
 */
export function loadConfig(file: string, environment: Environment, asksForKeys = true): GatewayConfig {
  return parseConfig(readText(file), environment, file, asksForKeys);
}

/** A configuration, with what it allows and yet is most likely a mistake: lines that hold no secret. */
export interface CheckedFile {
  readonly config: GatewayConfig;
  readonly warnings: readonly string[];
}

/** `loadConfig` with its warnings, for whoever wrote the file. */
export function checkFile(file: string, environment: Environment, asksForKeys = true): CheckedFile {
  const { config, written } = parse(readText(file), environment, file, asksForKeys);
  return { config, warnings: describeWarnings(grantWarnings(config), written) };
}

/**
 * Configuration text (YAML 1.2) as a frozen configuration; `source` names it in messages.
 * @throws ConfigError
 */
export function parseConfig(
  yaml: string,
  environment: Environment,
  source = 'the configuration',
  asksForKeys = true,
): GatewayConfig {
  return parse(yaml, environment, source, asksForKeys).config;
}

/** `written` is the file before the environment was filled in. */
function parse(yaml: string, environment: Environment, source: string, asksForKeys: boolean) {
  const written = parseYaml(yaml, source);
  const unusable = Array.from(prototypeKeys(written, []), formatPath);
  if (unusable.length > 0) {
    throw new ConfigError(
      source,
      unusable.map(path => `${path} is not a name that can stand here`),
    );
  }
  const { value, problems } = substituteEnvironment(written, environment);
  if (problems.length > 0) {
    throw new ConfigError(
      source,
      problems.map(({ path, reason }) => `${formatPath(path)} ${reason}`),
    );
  }
  const result = gatewaySchema(environment, asksForKeys).safeParse(value);
  if (!result.success) throw new ConfigError(source, describeIssues(result.error.issues, written));
  return { config: deepFreeze(result.data), written };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(file, [cause instanceof Error ? cause.message : String(cause)], { cause });
  }
}

/** An empty file is a configuration in which everything stands at its default. */
function parseYaml(yaml: string, source: string): unknown {
  const document = parseDocument(yaml, { prettyErrors: false });
  const problems = document.errors.map(
    ({ code, message, pos }) => `line ${lineAt(yaml, pos[0])}: ${withoutQuotes(code, message)}`,
  );
  if (problems.length > 0) throw new ConfigError(source, problems);
  try {
    return document.toJS() ?? {};
  } catch (cause) {
    // its message names what the text refers to, which may be a secret that begins with an asterisk
    throw new ConfigError(source, ['a text that begins with "*" refers to nothing; write it in quotes'], {
      cause,
    });
  }
}

/** Codes whose messages quote the file. */
const quoting: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'this cannot begin with "*" or "&"; write it in quotes',
  BAD_DIRECTIVE: 'this directive is not known',
  BAD_DQ_ESCAPE: 'a text in double quotes has a backslash that begins no escape',
  BAD_SCALAR_START: 'a text begins with a character that has a meaning of its own; write it in quotes',
  TAG_RESOLVE_FAILED: 'a text that begins with "!" is a tag, and this one is not known; write it in quotes',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** What the parser says, without anything that stands in the file: that may be a secret. */
function withoutQuotes(code: string, message: string): string {
  return Object.hasOwn(quoting, code) ? String(quoting[code]) : message.replace(/\s*["'`][\s\S]*$/, '');
}

/** Where a key is `__proto__`: the schema passes over it in silence, whatever stands under it. */
function* prototypeKeys(value: unknown, path: readonly PropertyKey[]): Generator<readonly PropertyKey[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === '__proto__') yield inner;
    else yield* prototypeKeys(item, inner);
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
