/** Credentials of a backend as they were obtained. */
export interface ProvidedCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For temporary credentials only. */
  readonly sessionToken?: string | undefined;
  /** Left out for credentials that do not expire. */
  readonly expiresAtMs?: number | undefined;
  /** The account they belong to, if the source says so. */
  readonly accountId?: string | undefined;
  /** The role behind temporary credentials, if the source says so: its name or an ARN. */
  readonly role?: string | undefined;
}

/** Where the credentials of a backend come from; what is left out comes from the environment, as with all S3 tools. */
export type CredentialSource =
  /** The provider chain of the SDK: environment, profile, web identity, container, instance. */
  | { readonly from: 'default'; readonly profile?: string | undefined; readonly region?: string | undefined }
  /** Variables of the environment that say when the credentials expire. */
  | { readonly from: 'environment' }
  /** A profile of the shared files; it may lead to other profiles, roles, SSO or a process. */
  | {
      readonly from: 'profile';
      readonly profile?: string | undefined;
      readonly configFile?: string | undefined;
      readonly credentialsFile?: string | undefined;
      /** Of the token service, where the profile has none. */
      readonly region?: string | undefined;
    }
  | { readonly from: 'instance'; readonly timeoutMs: number }
  | { readonly from: 'container'; readonly timeoutMs: number }
  | {
      readonly from: 'web-identity';
      readonly tokenFile?: string | undefined;
      readonly roleArn?: string | undefined;
      readonly sessionName?: string | undefined;
      readonly region?: string | undefined;
      readonly durationMs?: number | undefined;
    }
  /** A command line, or the `credential_process` of a profile. */
  | {
      readonly from: 'process';
      readonly command?: string | undefined;
      readonly profile?: string | undefined;
      readonly timeoutMs: number;
    };

/** The source in words, without anything that may be secret. */
export function describeSource(source: CredentialSource): string {
  switch (source.from) {
    case 'default':
      return `the default chain of the SDK${ofProfile(source.profile)}`;
    case 'environment':
      return 'the environment';
    case 'profile':
      return source.profile === undefined
        ? 'the profile of the environment (AWS_PROFILE, or default)'
        : `the profile ${JSON.stringify(source.profile)}`;
    case 'instance':
      return 'the metadata service of the instance (IMDSv2)';
    case 'container':
      return 'the credentials service of the container';
    case 'web-identity':
      return `a web identity token, for the role ${source.roleArn ?? 'of AWS_ROLE_ARN'}`;
    case 'process':
      return source.command === undefined
        ? `the credential_process${ofProfile(source.profile) || ' of the profile of the environment'}`
        : 'a command';
  }
}

function ofProfile(profile: string | undefined): string {
  return profile === undefined ? '' : ` of the profile ${JSON.stringify(profile)}`;
}

/** Whether both are the same credentials with the same end. */
export function areSame(one: ProvidedCredentials, other: ProvidedCredentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken &&
    one.expiresAtMs === other.expiresAtMs
  );
}
