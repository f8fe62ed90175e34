import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failureOf } from '../../../../src/backend/credentials/credential-failure.ts';
import type { CredentialSource } from '../../../../src/backend/credentials/credential-source.ts';
import { providerOf } from '../../../../src/backend/credentials/provide-credentials.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { CredentialServices } from '../../../support/credential-services.ts';

let services: CredentialServices;
let directory: string;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  services = await CredentialServices.start();
  directory = mkdtempSync(join(tmpdir(), 'tidegate-credentials-'));
  environment = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: _, ...endpoints } = services.environment;
  Object.assign(process.env, endpoints, {
    HOME: directory,
    AWS_CONFIG_FILE: join(directory, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(directory, 'credentials'),
  });
});

afterEach(async () => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  await services.close();
  rmSync(directory, { recursive: true, force: true });
});

const ask = (source: CredentialSource, { signal } = new AbortController()) =>
  providerOf(source, { region: 'eu-west-1', clock: systemClock })(signal);

const failure = (source: CredentialSource, question?: AbortController) =>
  ask(source, question).then(() => Promise.reject(new Error('it gave credentials')), failureOf);

function write(name: string, text: string): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

const oneHourOn = () => expect.closeTo(Date.now() + 3_600_000, -5);

it('an instance gives credentials to whoever has a token (IMDSv2)', async () => {
  const given = await ask({ from: 'instance', timeoutMs: 1_000 });
  expect(given).toMatchObject(services.issued[0] ?? {});
  expect(services.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
    'GET /latest/meta-data/iam/security-credentials/a-role',
    // the SDK does not tell the role
    'PUT /latest/api/token',
    'GET /latest/meta-data/iam/security-credentials/',
  ]);
});

it.each<readonly [string, CredentialSource, { readonly accountId?: string; readonly role?: string }]>([
  ['an instance', { from: 'instance', timeoutMs: 1_000 }, { role: 'a-role' }],
  ['a container', { from: 'container', timeoutMs: 1_000 }, { role: 'arn:aws:iam::123456789012:role/a-role' }],
  [
    'a web identity',
    { from: 'web-identity', roleArn: 'arn:aws:iam::123456789012:role/a-role' },
    { accountId: '123456789012', role: 'arn:aws:sts::123456789012:assumed-role/a-role/s1' },
  ],
  [
    'a profile with a role',
    { from: 'profile', profile: 'p' },
    { accountId: '123456789012', role: 'arn:aws:sts::123456789012:assumed-role/a-role/s3' },
  ],
])('%s tells whose credentials they are, where it knows', async (_, source, told) => {
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
  process.env.AWS_WEB_IDENTITY_TOKEN_FILE = write('jwt', 'a.web.token');
  const role = (name: string) => `role_arn = arn:aws:iam::123456789012:role/${name}\n`;
  const first = `[profile f]\n${role('first')}credential_source = Ec2InstanceMetadata\n`;
  write('config', `${first}[profile p]\n${role('a-role')}source_profile = f\n`);
  const given = await ask(source);
  expect([given.accountId, given.role]).toEqual([told.accountId, told.role]);
  services.tellsOwner = false;
  if (source.from === 'container' || source.from === 'web-identity')
    expect(await ask(source)).toMatchObject({ accountId: undefined, role: undefined });
});

it('an instance is never asked without a token, and the failure names the hop limit', async () => {
  services.isTooFar = true;
  expect(await failure({ from: 'instance', timeoutMs: 100 })).toEqual({
    cause: 'InstanceMetadataV1FallbackError',
    text: expect.stringContaining('hop limit is below 2'),
  });
  expect(services.requests.map(({ url }) => url)).toEqual(['/latest/api/token']);
});

it('credentials that the instance gives after their end are not put off', async () => {
  services.lifetimeMs = -60_000;
  const given = await ask({ from: 'instance', timeoutMs: 1_000 });
  expect(given.expiresAtMs).toBeLessThan(Date.now());
});

it.each(['soon', '', '+300000-01-01T00:00:00Z'])(
  'an instance whose credentials expire at %j gives none',
  async expiration => {
    services.expiration = expiration;
    expect(await failure({ from: 'instance', timeoutMs: 1_000 })).toEqual({
      ...{ cause: 'INVALID_CREDENTIALS', text: 'the expiration is not a valid time' },
    });
  },
);

it('the environment gives none where its expiration is no time', async () => {
  const AWS_CREDENTIAL_EXPIRATION = 'soon';
  const keys = { AWS_ACCESS_KEY_ID: 'planted', AWS_SECRET_ACCESS_KEY: 'planted' };
  Object.assign(process.env, { ...keys, AWS_CREDENTIAL_EXPIRATION });
  expect(await failure({ from: 'environment' })).toMatchObject({ cause: 'INVALID_CREDENTIALS' });
});

it('a container is asked at the address of the environment, with its token', async () => {
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
  expect(await ask({ from: 'container', timeoutMs: 1_000 })).toMatchObject(services.issued[0] ?? {});
});

it('a container may keep its token in a file, which is read each time', async () => {
  delete process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
  process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = write('token', 'of yesterday');
  const refused = await failure({ from: 'container', timeoutMs: 1_000 });
  expect(refused.text).toContain('401');
  write('token', services.environment.AWS_CONTAINER_AUTHORIZATION_TOKEN ?? '');
  expect(await ask({ from: 'container', timeoutMs: 1_000 })).toMatchObject(services.issued[0] ?? {});
});

it.each(['hang', 'drip', 'huge'] as const)(
  'a service of containers that never ends its answer (%s) is given up in time',
  async fault => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
    services.fault = fault;
    const text = fault === 'huge' ? 'the service answered too much' : 'the service did not end within 0.3 s';
    const expected = { cause: 'SERVICE_FAILED', text };
    expect(await failure({ from: 'container', timeoutMs: 300 })).toEqual(expected);
    await services.isIdle();
    services.fault = 'none';
    expect(await ask({ from: 'container', timeoutMs: 1_000 })).toMatchObject(services.issued[0] ?? {});
  },
);

it('the default chain asks the service of its container with a limit', async () => {
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
  expect(await ask({ from: 'default' })).toMatchObject(services.issued[0] ?? {});
  services.fault = 'hang';
  expect(await failure({ from: 'default' })).toMatchObject({ text: 'the service did not end within 1 s' });
  await services.isIdle();
  write('credentials', '[default]\naws_access_key_id = AKIDD\naws_secret_access_key = s\n');
  expect(await ask({ from: 'default' })).toMatchObject({ accessKeyId: 'AKIDD' });
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDE', AWS_SECRET_ACCESS_KEY: 's' });
  expect(await ask({ from: 'default' })).toMatchObject({ accessKeyId: 'AKIDE' });
  expect(await ask({ from: 'default', profile: 'default' })).toMatchObject({ accessKeyId: 'AKIDD' });
});

it.each(['http://10.0.0.1/c', 'http://127.0.0.1.example/c', 'ftp://127.0.0.1/c', 'nothing'])(
  'a token is not sent in the open to %s',
  async address => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = address;
    expect(await failure({ from: 'container', timeoutMs: 1_000 })).toMatchObject({
      cause: 'INVALID_ENVIRONMENT',
    });
  },
);

it('a web identity token is exchanged for a role; the file is read each time', async () => {
  const tokenFile = write('jwt', 'first.web.token');
  const source = {
    from: 'web-identity',
    tokenFile,
    roleArn: 'arn:aws:iam::123456789012:role/r',
    sessionName: 'gateway-1',
    durationMs: 900_000,
  } as const;
  expect(await ask(source)).toMatchObject(services.issued[0] ?? {});
  write('jwt', 'second.web.token');
  await ask(source);
  const sent = services.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  expect(sent).toMatchObject([
    { Action: 'AssumeRoleWithWebIdentity', WebIdentityToken: 'first.web.token', DurationSeconds: '900' },
    { WebIdentityToken: 'second.web.token', RoleSessionName: 'gateway-1', RoleArn: source.roleArn },
  ]);
});

it('a web identity comes from the environment where the source says nothing', async () => {
  process.env.AWS_WEB_IDENTITY_TOKEN_FILE = write('jwt', 'a.web.token');
  process.env.AWS_ROLE_ARN = 'arn:aws:iam::123456789012:role/e';
  await ask({ from: 'web-identity' });
  expect(services.requests[0]?.body).toContain('role%2Fe');
  process.env.AWS_WEB_IDENTITY_TOKEN_FILE = join(directory, 'none');
  expect(await failure({ from: 'web-identity' })).toEqual({
    cause: 'ENOENT',
    text: `${join(directory, 'none')} cannot be read`,
  });
});

it('a profile has keys, which are read again each time', async () => {
  write('credentials', '[photos]\naws_access_key_id = AKID1\naws_secret_access_key = s1\n');
  const source = { from: 'profile', profile: 'photos' } as const;
  expect(await ask(source)).toMatchObject({ accessKeyId: 'AKID1', secretAccessKey: 's1' });
  write('credentials', '[photos]\naws_access_key_id = AKID2\naws_secret_access_key = s2\n');
  expect(await ask(source)).toMatchObject({ accessKeyId: 'AKID2', expiresAtMs: undefined });
});

it('a profile leads through others to a role, whose keys ask for the next role', async () => {
  write('credentials', '[base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = s\n');
  write(
    'config',
    `[profile middle]
role_arn = arn:aws:iam::123456789012:role/middle
source_profile = base
[profile photos]
role_arn = arn:aws:iam::123456789012:role/photos
role_session_name = gateway
external_id = x1
source_profile = middle
`,
  );
  expect(await ask({ from: 'profile', profile: 'photos' })).toMatchObject(services.issued[1] ?? {});
  const [first, second] = services.requests;
  expect(first?.body).toContain('role%2Fmiddle');
  expect(first?.headers.authorization).toContain('Credential=AKIDBASE/');
  expect(second?.body).toMatch(/ExternalId=x1|RoleSessionName=gateway/);
  expect(second?.headers.authorization).toContain(`Credential=${services.issued[0]?.accessKeyId}/`);
  expect(second?.headers.authorization).toContain('/eu-west-1/sts/');
});

it('the source of a role may be the instance', async () => {
  write(
    'config',
    '[profile p]\nrole_arn = arn:aws:iam::123456789012:role/p\ncredential_source = Ec2InstanceMetadata\n',
  );
  expect(await ask({ from: 'profile', profile: 'p' })).toMatchObject(services.issued[1] ?? {});
});

const ssoProfile = `[profile s]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = reader
[sso-session corp]
sso_region = eu-central-1
sso_start_url = https://corp.awsapps.com/start
`;

function ssoToken(expiresAtMs: number): void {
  const cache = join(directory, '.aws', 'sso', 'cache');
  mkdirSync(cache, { recursive: true });
  const token = {
    ...{ accessToken: 'plantedSsoToken98', expiresAt: new Date(expiresAtMs).toISOString() },
    ...{ clientId: 'c', clientSecret: 'plantedSsoSecret96', refreshToken: 'r1' },
  };
  writeFileSync(
    join(cache, `${createHash('sha1').update('corp').digest('hex')}.json`),
    JSON.stringify(token),
  );
}

it('a profile of SSO exchanges the token of the last login', async () => {
  write('config', ssoProfile);
  ssoToken(Date.now() + 3_600_000);
  expect(await ask({ from: 'profile', profile: 's' })).toMatchObject({ accessKeyId: 'ASIASTANDIN0001' });
  expect(services.requests[0]?.headers['x-amz-sso_bearer_token']).toBe('plantedSsoToken98');
  expect(services.requests[0]?.url).toContain('role_name=reader');
});

it('a token of SSO that has expired is renewed', async () => {
  write('config', ssoProfile);
  ssoToken(Date.now() + 1_000);
  await ask({ from: 'profile', profile: 's' });
  expect(services.requests.map(({ url }) => url.split('?')[0])).toEqual([
    '/token',
    '/federation/credentials',
  ]);
});

it('a profile may be in files of its own, one of SSO as well', async () => {
  delete process.env.AWS_CONFIG_FILE;
  const configFile = write(
    'own',
    `${ssoProfile}[profile k]\naws_access_key_id = AKID\naws_secret_access_key = s\n`,
  );
  const credentialsFile = write('own-keys', '[j]\naws_access_key_id = AKIDJ\naws_secret_access_key = s\n');
  ssoToken(Date.now() + 3_600_000);
  const own = { from: 'profile', configFile, credentialsFile } as const;
  expect(await ask({ ...own, profile: 's' })).toMatchObject({ accessKeyId: 'ASIASTANDIN0001' });
  expect(await ask({ ...own, profile: 'k' })).toMatchObject({ accessKeyId: 'AKID' });
  expect(await ask({ ...own, profile: 'j' })).toMatchObject({ accessKeyId: 'AKIDJ' });
  expect((await failure({ ...own, profile: 'none' })).text).toContain('[none]');
});

it('a process is a command, or the credential_process of a profile', async () => {
  const printed = JSON.stringify({
    ...{ Version: 1, AccessKeyId: 'AKIDP', SecretAccessKey: 's', SessionToken: 't' },
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const script = write('print', `#!/bin/sh\necho '${printed}'\n`);
  chmodSync(script, 0o700);
  write('config', `[profile p]\ncredential_process = ${script}\n`);
  const expected = {
    accessKeyId: 'AKIDP',
    secretAccessKey: 's',
    sessionToken: 't',
    expiresAtMs: oneHourOn(),
  };
  expect(await ask({ from: 'process', command: script, timeoutMs: 5_000 })).toEqual(expected);
  expect(await ask({ from: 'process', profile: 'p', timeoutMs: 5_000 })).toEqual(expected);
});

it.each<readonly [string, CredentialSource, string | undefined]>([
  ['of a process', { from: 'process', profile: 'p', timeoutMs: 500 }, 'did not end within 0.5 s'],
  ['of a profile', { from: 'profile', profile: 'p' }, 'was given up'],
  ['of the default chain', { from: 'default', profile: 'p' }, undefined],
])(
  'a credential_process (%s) ends with the question, with all that it has started',
  async (_, source, why) => {
    const file = join(directory, 'pid');
    const script = write(
      'hang',
      `#!/bin/sh\nsleep 300 &\necho $! > ${file}.new; mv ${file}.new ${file}; wait\n`,
    );
    chmodSync(script, 0o700);
    write('config', `[profile p]\ncredential_process = ${script}\n`);
    const question = new AbortController();
    // those that are next in a chain
    services.fault = 500;
    const failed = failure(source, question);
    while (!existsSync(file)) await new Promise(resolve => setImmediate(resolve));
    if (source.from !== 'process') question.abort();
    const { text } = await failed;
    if (why) expect(text).toBe(`the command ${why}`);
    const pid = readFileSync(file, 'utf8').trim();
    while (isRunning(pid)) await new Promise(resolve => setImmediate(resolve));
  },
);

/** A process that has ended but was not waited for yet does not run. */
function isRunning(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}

it('the environment says when its credentials expire', async () => {
  Object.assign(process.env, {
    ...{ AWS_ACCESS_KEY_ID: 'AKIDE', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' },
    AWS_CREDENTIAL_EXPIRATION: '2040-01-01T00:00:00Z',
  });
  expect(await ask({ from: 'environment' })).toEqual({
    ...{ accessKeyId: 'AKIDE', secretAccessKey: 's', sessionToken: 't' },
    expiresAtMs: Date.UTC(2040, 0, 1),
  });
});

it('the default chain takes the environment first, then a profile, then the instance', async () => {
  expect(await ask({ from: 'default' })).toMatchObject(services.issued[0] ?? {});
  write('credentials', '[default]\naws_access_key_id = AKIDD\naws_secret_access_key = s\n');
  expect(await ask({ from: 'default' })).toMatchObject({ accessKeyId: 'AKIDD' });
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDE', AWS_SECRET_ACCESS_KEY: 's' });
  expect(await ask({ from: 'default' })).toMatchObject({ accessKeyId: 'AKIDE' });
});

it.each<readonly [string, CredentialSource]>([
  ['instance', { from: 'instance', timeoutMs: 1_000 }],
  ['container', { from: 'container', timeoutMs: 1_000 }],
  ['web-identity', { from: 'web-identity', roleArn: 'arn:aws:iam::123456789012:role/r' }],
])('what a broken service (%s) says of secrets is not passed on', async (_name, source) => {
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${services.url}/container`;
  process.env.AWS_WEB_IDENTITY_TOKEN_FILE = write('jwt', 'planted.web.token');
  services.fault = 'not-json';
  const { cause, text } = await failure(source);
  expect(cause).not.toBe('UNKNOWN');
  expect(services.issued.length).toBeGreaterThan(0);
  expect(text).not.toMatch(/planted/);
});

it('a service that nobody answers for is named by its cause', async () => {
  process.env.AWS_ENDPOINT_URL_STS = 'http://127.0.0.1:9';
  process.env.AWS_WEB_IDENTITY_TOKEN_FILE = write('jwt', 'a.web.token');
  const source = { from: 'web-identity', roleArn: 'arn:aws:iam::123456789012:role/r' } as const;
  expect(await failure(source)).toMatchObject({ cause: 'ECONNREFUSED' });
});
