import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { errorCode } from '../base/error-code.ts';
import { readServerTls } from './backend-certificates.ts';
import { bucketWarnings } from './bucket-warnings.ts';
import { ConfigError } from './config-error.ts';
import { type Environment, substituteEnvironment } from './environment.ts';
import { deepFreeze } from './freeze.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { grantWarnings } from './grant-warnings.ts';
import { listenerCertificates } from './listener-certificates.ts';
import { type Machine, machineWarnings, thisMachine } from './machine-warnings.ts';
import { describeIssues, describeWarnings, formatPath } from './problems.ts';
import { timeoutWarnings } from './timeout-warnings.ts';
import { unsignedBackends } from './unsigned-backends.ts';
import { withWebDefaults } from './web-defaults.ts';

/** A configuration with warnings about values that are allowed but probably mistakes; the lines contain no secrets. */
export interface CheckedFile {
  readonly config: GatewayConfig;
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration file.
 *
 * @param asksForKeys false to accept backends without `keys` where it is required, so that their stores can be queried
 *   for it.
 * @param machine what a start would have; this machine unless a test says otherwise
 * @throws ConfigError when it cannot be read or used; its message contains no secrets
 */
export function checkFile(
  file: string,
  environment: Environment,
  asksForKeys = true,
  machine: Machine = thisMachine(),
): CheckedFile {
  const { config, written } = parse(readText(file), environment, file, asksForKeys);
  const certificates = listenerCertificates(config, written, Date.now());
  const unusable = [...certificates.problems, ...backendCertificates(config)];
  if (unusable.length > 0) {
    const problems = unusable.map(({ path, reason }) => `${formatPath(path)} ${reason}`);
    throw new ConfigError(file, problems);
  }
  const warnings = [
    ...certificates.warnings,
    ...bucketWarnings(config),
    ...unsignedBackends(config, written),
    ...grantWarnings(config),
    ...machineWarnings(config, machine),
    ...timeoutWarnings(config),
  ];
  return { config, warnings: describeWarnings(warnings, written) };
}

/**
 * Parses configuration text (YAML 1.2) into a frozen configuration; `source` names it in messages.
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

/** `written` is the file before environment variables were substituted. */
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
  const result = gatewaySchema(environment, asksForKeys).safeParse(withWebDefaults(value));
  if (!result.success) throw new ConfigError(source, describeIssues(result.error.issues, written));
  return { config: deepFreeze(result.data), written };
}

/** What is wrong with the files that the backends' `tls` name. */
function backendCertificates({ backends }: GatewayConfig) {
  return Object.entries(backends).flatMap(([name, backend]) => {
    const read = readServerTls(backend);
    if (read.kind === 'tls') return [];
    return read.problems.map(({ key, reason }) => ({ path: ['backends', name, 'tls', key], reason }));
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(file, [whyUnreadable(cause)], { cause });
  }
}

function whyUnreadable(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = errorCode(cause) ?? '';
  return Object.hasOwn(unreadable, code) ? `${unreadable[code]} (${code})` : cause.message;
}

const unreadable: Readonly<Record<string, string>> = {
  EACCES: 'this file may not be read by the user of this process',
  EISDIR: 'this is a directory, not a file',
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file: a part of its path is not a directory',
};

/** An empty file is a configuration with all defaults. */
function parseYaml(yaml: string, source: string): unknown {
  const document = parseDocument(yaml, { prettyErrors: false });
  // what follows a tab is read as something else
  const tab = document.errors.find(({ code }) => code === 'TAB_AS_INDENT');
  const problems = (tab ? [tab] : document.errors).map(
    ({ code, message, pos }) => `line ${lineAt(yaml, pos[0])}: ${withoutQuotes(code, message)}`,
  );
  if (problems.length > 0) throw new ConfigError(source, problems);
  try {
    return document.toJS() ?? {};
  } catch (cause) {
    // the parser's message quotes the alias, which may be a secret that begins with an asterisk
    throw new ConfigError(source, ['a text that begins with "*" refers to nothing; write it in quotes'], {
      cause,
    });
  }
}

/** Error codes whose messages quote the file. */
const quoting: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'this cannot begin with "*" or "&"; write it in quotes',
  BAD_DIRECTIVE: 'this directive is not known',
  BAD_DQ_ESCAPE: 'a text in double quotes has a backslash that begins no escape',
  BAD_SCALAR_START: 'a text begins with a character that has a meaning of its own; write it in quotes',
  TAG_RESOLVE_FAILED: 'a text that begins with "!" is a tag, and this one is not known; write it in quotes',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** The parser's message without quotes from the file, as these may be secrets. */
function withoutQuotes(code: string, message: string): string {
  return Object.hasOwn(quoting, code) ? String(quoting[code]) : message.replace(/\s*["'`][\s\S]*$/, '');
}

/** Finds keys called `__proto__`: the schema silently ignores them and everything below. */
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
