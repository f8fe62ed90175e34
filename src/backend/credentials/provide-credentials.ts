import type { Clock } from '../../base/clock.ts';
import { checkedCredentials, type GivenCredentials } from './checked-credentials.ts';
import { containerCredentials, isInContainer } from './container-credentials.ts';
import { runCredentialCommand } from './credential-command.ts';
import type { CredentialSource, ProvidedCredentials } from './credential-source.ts';
import { instanceRole } from './instance-role.ts';
import type { QuestionLimits } from './question-limits.ts';

/** Asks a source for credentials once; `signal` aborts the request. */
export type Provide = (signal: AbortSignal) => Promise<ProvidedCredentials>;

/** For `credential_process` commands of profiles that other sources lead to; these have no timeout of their own. */
const COMMAND_MS = 30_000;

/** For the services of containers and instances, when the default chain reaches them. */
const SERVICE_MS = 1_000;

/** Limits for each request to the services for tokens and SSO; the SDK has none of its own. */
const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/** The SDK would write warnings to the console, where they may quote secrets. */
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface ProviderOptions {
  /** Of the token service, where neither source nor environment name one: without any the SDK takes us-east-1. */
  readonly region: string;
  readonly clock: Clock;
}

/** How credentials are obtained from `source`. Nothing is loaded or asked before the first call. */
export function providerOf(source: CredentialSource, { region, clock }: ProviderOptions): Provide {
  return async signal => {
    const limits = { signal, clock, timeoutMs: 'timeoutMs' in source ? source.timeoutMs : COMMAND_MS };
    if (source.from === 'process' && source.command !== undefined)
      return runCredentialCommand(source.command, limits);
    if (source.from === 'container') return checkedCredentials(await containerCredentials(limits));
    return checkedCredentials(await askSdk(source, region, limits));
  };
}

type SdkSource = Exclude<CredentialSource, { from: 'container' }>;

/** Asks a new provider of the SDK each time, because a provider caches files and expired credentials. */
async function askSdk(source: SdkSource, region: string, limits: QuestionLimits): Promise<GivenCredentials> {
  const assumed: AssumedRole = { role: undefined };
  const [{ askWithin }, provide] = await Promise.all([
    import('./sdk-commands.ts'),
    sdkProvider(source, region, limits, assumed),
  ]);
  const given = await askWithin(limits, provide);
  const role = source.from === 'instance' ? await instanceRole(limits) : assumed.role;
  return { ...given, role: given.role ?? role };
}

/** The role that STS returned credentials for last. The SDK does not pass it on. */
interface AssumedRole {
  role: unknown;
}

/** Notes the role in each answer of STS; in a chain of roles the last one is used. */
function noteRole(assumed: AssumedRole): ClientPlugin {
  return {
    applyToStack: stack => {
      stack.add(
        next => async request => {
          const result = await next(request);
          assumed.role = result.output?.AssumedRoleUser?.Arn;
          return result;
        },
        { step: 'initialize' },
      );
    },
  };
}

type ClientPlugin = NonNullable<NonNullable<Parameters<Sdk['fromIni']>[0]>['clientPlugins']>[number];

async function sdkProvider(
  source: SdkSource,
  region: string,
  limits: QuestionLimits,
  assumed: AssumedRole,
): Promise<() => Promise<GivenCredentials>> {
  const sdk = await import('@aws-sdk/credential-providers');
  const services = {
    logger,
    clientConfig: { requestHandler },
    clientPlugins: [noteRole(assumed)],
    parentClientConfig: { region: regionFor(source) ?? region, requestHandler },
  };
  switch (source.from) {
    case 'default':
      return defaultProvider(
        sdk,
        {
          ...services,
          ...onlySet({ profile: source.profile }),
          ...{ ignoreCache: true, ec2MetadataV1Disabled: true },
        },
        limits,
      );
    case 'environment':
      return sdk.fromEnv({ logger });
    case 'profile':
      return profileProvider(sdk, source, services);
    case 'instance':
      return sdk.fromInstanceMetadata({ logger, timeout: source.timeoutMs, ec2MetadataV1Disabled: true });
    case 'web-identity':
      return sdk.fromTokenFile({
        ...services,
        ...onlySet({
          webIdentityTokenFile: source.tokenFile,
          roleArn: source.roleArn,
          roleSessionName: source.sessionName,
          durationSeconds: source.durationMs === undefined ? undefined : source.durationMs / 1_000,
        }),
      });
    case 'process':
      return sdk.fromProcess({ logger, ignoreCache: true, ...onlySet({ profile: source.profile }) });
  }
}

type Sdk = typeof import('@aws-sdk/credential-providers');

/**
 * The SDK's default chain. Where that would ask a container's service, which it does without a timeout, its members are
 * asked here in the same order (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html).
 */
function defaultProvider(
  sdk: Sdk,
  init: NonNullable<Parameters<Sdk['fromNodeProviderChain']>[0]>,
  limits: QuestionLimits,
): () => Promise<GivenCredentials> {
  if (!isInContainer()) return sdk.fromNodeProviderChain(init);
  const hasProfile = Boolean(init.profile ?? process.env.AWS_PROFILE);
  return sdk.propertyProviderChain<GivenCredentials>(
    ...(hasProfile ? [] : [sdk.fromEnv(init)]),
    sdk.fromIni(init),
    sdk.fromProcess(init),
    sdk.fromTokenFile(init),
    () => containerCredentials({ ...limits, timeoutMs: SERVICE_MS }),
  );
}

/**
 * Within `fromIni`, the SDK looks for SSO in the default files only: with other files, a profile of SSO is read with
 * `fromSSO`, which leaves any other profile to the next one.
 */
function profileProvider(
  sdk: Sdk,
  { profile, configFile, credentialsFile }: Extract<CredentialSource, { from: 'profile' }>,
  services: Pick<
    NonNullable<Parameters<Sdk['fromIni']>[0]>,
    'logger' | 'clientConfig' | 'clientPlugins' | 'parentClientConfig'
  >,
): () => Promise<GivenCredentials> {
  const init = {
    ...services,
    ignoreCache: true,
    ...onlySet({ profile, configFilepath: configFile, filepath: credentialsFile }),
  };
  if (configFile === undefined) return sdk.fromIni(init);
  return sdk.propertyProviderChain(sdk.fromSSO(init), sdk.fromIni(init));
}

function regionFor(source: CredentialSource): string | undefined {
  const given = 'region' in source ? source.region : undefined;
  return given ?? (process.env.AWS_REGION || undefined);
}

/** Without what is undefined. */
function onlySet<Value>(values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}
