import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorCode } from '../base/error-code.ts';
import { readServerTls } from './backend-certificates.ts';
import { bucketWarnings } from './bucket-warnings.ts';
import { ConfigError } from './config-error.ts';
import { filesForDirectories } from './directory-checks.ts';
import { endpointWarnings } from './endpoint-warnings.ts';
import { type Environment, substituteEnvironment } from './environment.ts';
import { errorTtlWarnings } from './error-ttl-warnings.ts';
import { deepFreeze } from './freeze.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { grantWarnings } from './grant-warnings.ts';
import { hiddenRules } from './hidden-rules.ts';
import { listenerCertificates } from './listener-certificates.ts';
import { type Machine, machineWarnings, thisMachine } from './machine-warnings.ts';
import { describeHeld, describeIssues, describeWarnings, formatPath } from './problems.ts';
import { readYaml } from './read-yaml.ts';
import { secretWarnings } from './secret-warnings.ts';
import { timeoutWarnings } from './timeout-warnings.ts';
import { unsignedWarnings } from './unsigned-warnings.ts';
import { variableWarnings } from './variable-warnings.ts';
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
  const problems = [
    ...[...certificates.problems, ...backendCertificates(config)].map(
      ({ path, why }) => `${formatPath(path)} holds ${describeHeld(path, written)}, which ${why}`,
    ),
    ...Array.from(filesForDirectories(config), ({ path, reason }) => `${formatPath(path)} ${reason}`),
  ];
  if (problems.length > 0) throw new ConfigError(file, problems);
  const warnings = [
    ...certificates.warnings,
    ...bucketWarnings(config),
    ...endpointWarnings(config),
    ...errorTtlWarnings(config),
    ...unsignedWarnings(config, written),
    ...variableWarnings(written),
    ...grantWarnings(config),
    ...hiddenRules(config),
    ...machineWarnings(config, machine),
    ...timeoutWarnings(config),
    ...secretWarnings(config),
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
  const written = readYaml(yaml, source);
  const unusable = Array.from(prototypeKeys(written, []), formatPath);
  if (unusable.length > 0) {
    throw new ConfigError(
      source,
      unusable.map(path => `${path} is not a name that can stand here`),
    );
  }
  const { value, problems: absent } = substituteEnvironment(written, environment);
  const schema = gatewaySchema(environment, asksForKeys);
  const result = schema.safeParse(withWebDefaults(value));
  const problems = absent.map(({ path, reason }) => `${formatPath(path)} ${reason}`);
  if (result.success && problems.length === 0) return { config: deepFreeze(result.data), written };
  // of a value that is not there, nothing else is worth telling
  const isKnown = ({ path }: { readonly path: readonly PropertyKey[] }) =>
    !absent.some(each => isDeepStrictEqual(each.path, path));
  if (result.error) problems.push(...describeIssues(result.error.issues, written, isKnown, schema));
  throw new ConfigError(source, problems);
}

/** What is wrong with the files that the backends' `tls` name. */
function backendCertificates({ backends }: GatewayConfig) {
  return Object.entries(backends).flatMap(([name, backend]) => {
    const read = readServerTls(backend);
    if (read.kind === 'tls') return [];
    return read.problems.map(({ key, why }) => ({ path: ['backends', name, 'tls', key], why }));
  });
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new ConfigError(file, [whyUnreadable(cause)], { cause });
  }
  if (!isUtf8(bytes) || bytes.includes(0)) throw new ConfigError(file, ['this file is no text in UTF-8']);
  return bytes.toString();
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

/** Finds keys called `__proto__`: the schema silently ignores them and everything below. */
function* prototypeKeys(value: unknown, path: readonly PropertyKey[]): Generator<readonly PropertyKey[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === '__proto__') yield inner;
    else yield* prototypeKeys(item, inner);
  }
}
