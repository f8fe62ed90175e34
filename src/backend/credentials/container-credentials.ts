import { readFile } from 'node:fs/promises';
import type { GivenCredentials } from './checked-credentials.ts';
import { askService, readDocument } from './credential-service.ts';
import type { QuestionLimits } from './question-limits.ts';

/** The environment does not name a usable credential service. */
class ContainerEnvironmentError extends Error {
  readonly code = 'INVALID_ENVIRONMENT';
}

/** The addresses of the credential services of ECS and EKS. */
const ecsHost = '169.254.170.2';
const hosts: ReadonlySet<string> = new Set([
  ecsHost,
  '169.254.170.23',
  '[fd00:ec2::23]',
  'localhost',
  '[::1]',
]);

/** Whether the environment names a container's credential service. */
export function isInContainer(): boolean {
  return [process.env[RELATIVE], process.env[FULL]].some(Boolean);
}

/**
 * Asks the service that ECS and EKS name in the environment
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html). The SDK is not used here,
 * because its request has no timeout once the connection is open.
 *
 * @throws ContainerEnvironmentError, and as `askService`
 */
export async function containerCredentials(limits: QuestionLimits): Promise<GivenCredentials> {
  const url = serviceUrl();
  const token = await authorizationToken();
  const headers = token === undefined ? {} : { authorization: token };
  const document = readDocument(await askService(url, { headers }, limits));
  // ECS returns the role, EKS the account
  const { AccessKeyId, SecretAccessKey, Token, Expiration, RoleArn, AccountId } = document;
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: Token,
    expiration: new Date(String(Expiration)),
    accountId: AccountId,
    role: RoleArn,
  };
}

const RELATIVE = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI';
const FULL = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';

/** Plain HTTP is allowed only to loopback and the addresses of ECS and EKS, as in all SDKs, because a token is sent. */
function serviceUrl(): URL {
  const { [RELATIVE]: path, [FULL]: full } = process.env;
  if (path) return new URL(`http://${ecsHost}${path}`);
  if (!full || !URL.canParse(full)) throw new ContainerEnvironmentError(`${FULL} is no URL`);
  const url = new URL(full);
  const isNear = hosts.has(url.hostname) || /^127(?:\.\d{1,3}){3}$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isNear)) return url;
  throw new ContainerEnvironmentError(`${FULL} is neither https nor a loopback, ECS or EKS address`);
}

/** Read each time, because the platform replaces the file. */
async function authorizationToken(): Promise<string | undefined> {
  const file = process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? await readFile(file, 'utf8') : process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (token && /[^!-~ ]/.test(token.trim()))
    throw new ContainerEnvironmentError('the authorization token has characters that cannot be sent');
  return token?.trim() || undefined;
}
