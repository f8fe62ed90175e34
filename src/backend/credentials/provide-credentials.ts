import type { Clock } from '../../base/clock.ts';
import { checkedCredentials } from './checked-credentials.ts';
import { runCredentialCommand } from './credential-command.ts';
import type { CredentialSource, ProvidedCredentials } from './credential-source.ts';

/** Asks a source for credentials once. */
export type Provide = () => Promise<ProvidedCredentials>;

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
  if (source.from === 'process' && source.command !== undefined) {
    const { command, timeoutMs } = source;
    return () => runCredentialCommand(command, timeoutMs, clock);
  }
  // made anew for each call: providers keep files and, when a service fails, credentials beyond their end
  return async () => fromSdk(await (await sdkProvider(source, region))());
}

interface SdkCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
  /** Where the SDK has put off the expiration because the service still gives expired credentials. */
  readonly originalExpiration?: Date | undefined;
}

function fromSdk(given: SdkCredentials): ProvidedCredentials {
  return checkedCredentials({ ...given, expiration: given.originalExpiration ?? given.expiration });
}

async function sdkProvider(source: CredentialSource, region: string): Promise<() => Promise<SdkCredentials>> {
  const sdk = await import('@aws-sdk/credential-providers');
  const services = {
    logger,
    clientConfig: { requestHandler },
    parentClientConfig: { region: regionFor(source) ?? region, requestHandler },
  };
  switch (source.from) {
    case 'default':
      return sdk.fromNodeProviderChain({
        ...services,
        ...onlySet({ profile: source.profile }),
        ...{ ignoreCache: true, ec2MetadataV1Disabled: true },
      });
    case 'environment':
      return sdk.fromEnv({ logger });
    case 'profile':
      return profileProvider(sdk, source, services);
    case 'instance':
      return sdk.fromInstanceMetadata({ logger, timeout: source.timeoutMs, ec2MetadataV1Disabled: true });
    case 'container':
      return sdk.fromHttp({ logger, timeout: source.timeoutMs, maxRetries: 0 });
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
 * Within `fromIni`, the SDK looks for SSO in the default files only: with other files, a profile of SSO is read with
 * `fromSSO`, which leaves any other profile to the next one.
 */
function profileProvider(
  sdk: Sdk,
  { profile, configFile, credentialsFile }: Extract<CredentialSource, { from: 'profile' }>,
  services: Pick<
    NonNullable<Parameters<Sdk['fromIni']>[0]>,
    'logger' | 'clientConfig' | 'parentClientConfig'
  >,
): () => Promise<SdkCredentials> {
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
