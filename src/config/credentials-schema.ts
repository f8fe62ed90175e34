import { z } from 'zod';
import {
  accessKeyIdPattern,
  checkedCredentials,
  sessionTokenPattern,
} from '../backend/credentials/checked-credentials.ts';
import type { CredentialSource } from '../backend/credentials/credential-source.ts';
import type { Environment } from './environment.ts';
import { choice, duration, map, text } from './scalars.ts';

const MINUTE_MS = 60_000;

export function accessKeyId() {
  const what = 'an access key id';
  return text(what).regex(accessKeyIdPattern, `${what}: printable ASCII without blanks, "/" and ","`);
}

function sessionToken() {
  const what = 'a session token';
  return text(what).regex(sessionTokenPattern, `${what}: printable ASCII without blanks`);
}

const staticKeys = map({
  accessKeyId: accessKeyId(),
  secretAccessKey: text('a secret access key'),
  sessionToken: sessionToken().optional(),
}).transform(keys => ({ kind: 'static' as const, ...keys }));

const from = <const Name extends CredentialSource['from']>(name: Name) => z.literal(name);
const profile = text('the name of a profile').optional().meta({ otherwise: '`AWS_PROFILE`, else `default`' });
const region = text('the region of the token service')
  .optional()
  .meta({ otherwise: 'that of the profile, else `AWS_REGION`, else that of the backend or queue' });
const file = (what: string, variable: string) => text(what).optional().meta({ otherwise: variable });
const requestTimeout = duration(100, MINUTE_MS).default(1_000);

/** Credentials that are obtained while the gateway runs, as the SDK names and finds them. */
const provided = (source: CredentialSource) => ({ kind: 'provided' as const, source });

const fromDefault = map({ from: from('default'), profile, region }).transform(provided);

const fromProfile = map({
  from: from('profile'),
  profile,
  configFile: file('a file such as ~/.aws/config', '`AWS_CONFIG_FILE`, else `~/.aws/config`'),
  credentialsFile: file(
    'a file such as ~/.aws/credentials',
    '`AWS_SHARED_CREDENTIALS_FILE`, else `~/.aws/credentials`',
  ),
  region,
}).transform(provided);

const fromInstance = map({ from: from('instance'), timeout: requestTimeout }).transform(
  ({ from, timeout: timeoutMs }) => provided({ from, timeoutMs }),
);

const fromProcess = map({
  from: from('process'),
  command: text('a command line').optional().meta({ otherwise: 'that of the profile' }),
  profile,
  timeout: duration(100, MINUTE_MS - 1).default(30_000),
})
  .refine(({ command, profile }) => command === undefined || profile === undefined, {
    path: ['profile'],
    error: 'none beside a command',
  })
  .transform(({ timeout: timeoutMs, ...source }) => provided({ ...source, timeoutMs }));

/**
 * The variables that all S3 tools read. They are taken at the start, since the environment of a process stays what it
 * is; only where they expire is there something to watch.
 */
const fromEnvironment = (environment: Environment) =>
  map({ from: from('environment') }).transform(({ from }, context) => {
    const refuse = (message: string) => {
      context.issues.push({ code: 'custom', path: ['from'], message, input: from });
      return z.NEVER;
    };
    const accessKeyId = environment.AWS_ACCESS_KEY_ID;
    const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY;
    if (!accessKeyId || !secretAccessKey)
      return refuse('environment only where AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set');
    if (environment.AWS_CREDENTIAL_EXPIRATION) return provided({ from });
    const keys = { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined };
    try {
      checkedCredentials(keys);
    } catch (error) {
      return refuse(
        `environment only where its credentials can be sent: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return { kind: 'static' as const, ...keys };
  });

const fromContainer = (environment: Environment) =>
  map({ from: from('container'), timeout: requestTimeout }).transform(
    ({ from, timeout: timeoutMs }, context) => {
      const names = ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'];
      if (names.some(name => environment[name])) return provided({ from, timeoutMs });
      const message = `container only where ${names.join(' or ')} is set, as ECS and EKS do`;
      context.issues.push({ code: 'custom', path: ['from'], message, input: from });
      return z.NEVER;
    },
  );

const fromWebIdentity = (environment: Environment) =>
  map({
    from: from('web-identity'),
    tokenFile: file('a file with a token', '`AWS_WEB_IDENTITY_TOKEN_FILE`'),
    roleArn: text('the ARN of a role').optional().meta({ otherwise: '`AWS_ROLE_ARN`' }),
    sessionName: text('a session name').optional().meta({ otherwise: '`AWS_ROLE_SESSION_NAME`' }),
    region,
    duration: duration(15 * MINUTE_MS, 12 * 60 * MINUTE_MS)
      .optional()
      .meta({ otherwise: 'that of the token service' }),
  }).transform(({ duration: durationMs, ...source }, context) => {
    const missing = (key: 'tokenFile' | 'roleArn', name: string, what: string) => {
      if (source[key] !== undefined || environment[name]) return;
      context.issues.push({
        ...{ code: 'custom', path: [key], input: undefined },
        message: `${what}, since ${name} is not set`,
      });
    };
    missing('tokenFile', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'a file with a token');
    missing('roleArn', 'AWS_ROLE_ARN', 'the ARN of a role');
    return provided({ ...source, durationMs });
  });

const sources = [
  'default',
  'environment',
  'profile',
  'instance',
  'container',
  'web-identity',
  'process',
] as const;

/** `{ from: … }`. What has no `from` is meant to be keys, and is judged as such. */
const fromSource = (environment: Environment) =>
  z
    .custom<{ from: unknown }>(value => typeof value === 'object' && value !== null && 'from' in value)
    .pipe(z.looseObject({ from: choice(sources) }))
    .pipe(
      z.discriminatedUnion('from', [
        fromDefault,
        fromEnvironment(environment),
        fromProfile,
        fromInstance,
        fromContainer(environment),
        fromWebIdentity(environment),
        fromProcess,
      ]),
    );

/** The gateway's credentials for a store: keys, a source of keys, or none. */
export const credentialsSchema = (environment: Environment) =>
  z.union(
    [z.literal('none').transform(() => ({ kind: 'none' as const })), fromSource(environment), staticKeys],
    { error: `none, { accessKeyId, secretAccessKey } or { from: ${sources.join(' | ')} }` },
  );
